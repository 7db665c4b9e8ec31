/** The whole project: every attribute, stars, topics, languages, statistics, uploads, deploy keys, service accounts, status checks. */
import type { Migration } from './index.ts';

const closed = "'disabled', 'private', 'enabled'";
/** Those that were there before, without a check. */
const before = `issues repository merge_requests builds wiki snippets forking releases environments`.split(' ');
const level = (name: string, fallback: string, words = closed) =>
  `add column ${name}_access_level text not null default '${fallback}' check (${name}_access_level in (${words}))`;
const open = "'disabled', 'private', 'enabled', 'public'";

const attributes = `
alter table projects
  ${level('analytics', 'enabled')},
  ${level('feature_flags', 'enabled')},
  ${level('infrastructure', 'enabled')},
  ${level('monitor', 'enabled')},
  ${level('model_experiments', 'enabled')},
  ${level('model_registry', 'enabled')},
  ${level('requirements', 'enabled')},
  ${level('security_and_compliance', 'private')},
  ${level('container_registry', 'disabled')},
  ${level('package_registry', 'disabled', open)},
  ${level('pages', 'disabled', open)},
  add column service_desk_enabled boolean not null default false,
  add column show_default_award_emojis boolean not null default true,
  add column show_diff_preview_in_email boolean not null default true,
  add column warn_about_potentially_unwanted_characters boolean not null default true,
  add column enforce_auth_checks_on_uploads boolean not null default true,
  add column auto_devops_enabled boolean not null default false,
  add column auto_devops_deploy_strategy text not null default 'continuous'
    check (auto_devops_deploy_strategy in ('continuous', 'manual', 'timed_incremental')),
  add column build_coverage_regex text,
  add column ci_forward_deployment_rollback_allowed boolean not null default true,
  add column ci_allow_fork_pipelines_to_run_in_parent_project boolean not null default true,
  add column ci_push_repository_for_job_token_allowed boolean not null default false,
  add column ci_pipeline_variables_minimum_override_role text not null default 'developer'
    check (ci_pipeline_variables_minimum_override_role in ('no_one_allowed', 'developer', 'maintainer', 'owner')),
  add column ci_restrict_pipeline_cancellation_role text not null default 'developer'
    check (ci_restrict_pipeline_cancellation_role in ('no_one', 'developer', 'maintainer')),
  add column ci_id_token_sub_claim_components text[] not null default '{project_path,ref_type,ref}',
  add column ci_delete_pipelines_in_seconds integer check (ci_delete_pipelines_in_seconds >= 86400),
  add column max_artifacts_size integer check (max_artifacts_size > 0),
  add column resource_group_default_process_mode text not null default 'unordered'
    check (resource_group_default_process_mode in ('unordered', 'oldest_first', 'newest_first', 'newest_ready_first')),
  add column mr_default_target_self boolean not null default false,
  add column merge_request_title_regex text,
  add column merge_request_title_regex_description text,
  add column merge_trains_skip_train_allowed boolean not null default false,
  add column only_allow_merge_if_all_status_checks_passed boolean not null default false,
  add column allow_pipeline_trigger_approve_deployment boolean not null default false,
  add column prevent_merge_without_jira_issue boolean not null default false,
  add column approvals_before_merge integer not null default 0 check (approvals_before_merge >= 0),
  add column external_authorization_classification_label text,
  add column issue_branch_template text,
  add column issues_template text,
  add column merge_requests_template text,
  add column web_based_commit_signing_enabled boolean not null default false,
  add column container_expiration_policy jsonb not null
    default '{"cadence": "1d", "enabled": false, "keep_n": 10, "older_than": "90d", "name_regex": ".*", "name_regex_keep": null}',
  ${before.map((name) => `add check (${name}_access_level in (${closed}))`).join(',\n  ')},
  add check (build_git_strategy in ('fetch', 'clone')),
  add column import_status text not null default 'none'
    check (import_status in ('none', 'scheduled', 'started', 'finished', 'failed')),
  add column import_error text,
  add column languages_commit text;
create index projects_forked_from on projects (forked_from_project_id) where forked_from_project_id is not null;
create index projects_size on projects (repository_size, id);

-- Bytes of a picture that no row names any more are given up, as those of users.
create function project_avatar_left() returns trigger language plpgsql as $$
begin
  insert into object_deletions (object_key) values (old.avatar_object_key) on conflict do nothing;
  return null;
end $$;
create trigger projects_avatar_changed after update of avatar_object_key on projects for each row
  when (old.avatar_object_key is not null and old.avatar_object_key is distinct from new.avatar_object_key)
  execute function project_avatar_left();
`;

const around = `
create table project_stars (
  user_id bigint not null references users (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (user_id, project_id)
);
create index project_stars_project on project_stars (project_id, created_at, user_id);

-- Users leave without their rows being taken one by one: the count follows the rows.
create function project_star_counted() returns trigger language plpgsql as $$
begin
  update projects set star_count = star_count + case tg_op when 'INSERT' then 1 else -1 end
    where id = coalesce(new.project_id, old.project_id);
  return null;
end $$;
create trigger project_stars_counted after insert or delete on project_stars for each row
  execute function project_star_counted();

create function project_fork_counted() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.forked_from_project_id is not null then
    update projects set forks_count = forks_count - 1 where id = old.forked_from_project_id;
  end if;
  if tg_op <> 'DELETE' and new.forked_from_project_id is not null then
    update projects set forks_count = forks_count + 1 where id = new.forked_from_project_id;
  end if;
  return null;
end $$;
create trigger projects_forks_counted after insert or delete or update of forked_from_project_id on projects
  for each row execute function project_fork_counted();

create table topics (
  id bigint generated by default as identity primary key,
  name text not null check (name <> ''),
  title text,
  description text,
  avatar_object_key text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index topics_name_key on topics (lower(name));
create index topics_search on topics using gin (name gin_trgm_ops);
create trigger topics_avatar_changed after update of avatar_object_key on topics for each row
  when (old.avatar_object_key is not null and old.avatar_object_key is distinct from new.avatar_object_key)
  execute function project_avatar_left();
create trigger topics_avatar_gone after delete on topics for each row when (old.avatar_object_key is not null)
  execute function project_avatar_left();
insert into topics (name) select min(topic) from projects, unnest(topics) topic group by lower(topic);

create table project_languages (
  project_id bigint not null references projects (id) on delete cascade,
  name text not null,
  share double precision not null,
  primary key (project_id, name)
);
create index project_languages_name on project_languages (lower(name), project_id);

create table project_fetches (
  project_id bigint not null references projects (id) on delete cascade,
  date date not null,
  count bigint not null,
  primary key (project_id, date)
);
create index project_fetches_date on project_fetches (date);

create table project_uploads (
  id bigint generated by default as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  secret text not null unique,
  file_name text not null check (file_name <> ''),
  object_key text not null,
  size bigint not null,
  uploaded_by_id bigint references users (id) on delete set null,
  created_at timestamptz(3) not null default now()
);
create index project_uploads_project on project_uploads (project_id, id);
create index project_uploads_user on project_uploads (uploaded_by_id) where uploaded_by_id is not null;
create function project_upload_left() returns trigger language plpgsql as $$
begin
  insert into object_deletions (object_key) values (old.object_key) on conflict do nothing;
  return null;
end $$;
create trigger project_uploads_gone after delete on project_uploads for each row execute function project_upload_left();
`;

const keys = `
-- Deploy keys are keys like those of users: one table, so that no key means two things.
alter table ssh_keys
  alter column user_id drop not null,
  add column kind text not null default 'user' check (kind in ('user', 'deploy')),
  add column public boolean not null default false,
  add column created_by_id bigint references users (id) on delete set null,
  add check ((kind = 'user') = (user_id is not null)),
  add check (kind = 'deploy' or not public);
create index ssh_keys_deploy on ssh_keys (id) where kind = 'deploy';
create index ssh_keys_created_by on ssh_keys (created_by_id) where created_by_id is not null;
create table project_deploy_keys (
  project_id bigint not null references projects (id) on delete cascade,
  key_id bigint not null references ssh_keys (id) on delete cascade,
  can_push boolean not null default false,
  created_at timestamptz(3) not null default now(),
  primary key (project_id, key_id)
);
create index project_deploy_keys_key on project_deploy_keys (key_id);
`;

const accounts = `
alter table users drop constraint users_user_type_check;
alter table users add constraint users_user_type_check
  check (user_type in ('human', 'project_bot', 'group_bot', 'ghost', 'service_account'));
-- Where a service account belongs: a group or a project; without a row it is the instance's.
create table service_account_places (
  user_id bigint primary key references users (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  check (num_nonnulls(namespace_id, project_id) = 1)
);
create index service_account_places_namespace on service_account_places (namespace_id) where namespace_id is not null;
create index service_account_places_project on service_account_places (project_id) where project_id is not null;
create index users_service_accounts on users (id) where user_type = 'service_account';
`;

const checks = `
create table external_status_checks (
  id bigint generated by default as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null check (name <> ''),
  external_url text not null,
  shared_secret_encrypted bytea,
  created_at timestamptz(3) not null default now(),
  unique (project_id, name),
  unique (project_id, external_url)
);
create table external_status_check_branches (
  check_id bigint not null references external_status_checks (id) on delete cascade,
  protected_branch_id bigint not null references protected_branches (id) on delete cascade,
  primary key (check_id, protected_branch_id)
);
create index external_status_check_branches_branch on external_status_check_branches (protected_branch_id);
create table status_check_responses (
  id bigint generated by default as identity primary key,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  check_id bigint not null references external_status_checks (id) on delete cascade,
  sha text not null,
  status text not null check (status in ('passed', 'failed', 'pending')),
  created_at timestamptz(3) not null default now()
);
create index status_check_responses_latest on status_check_responses (merge_request_id, check_id, id);
create index status_check_responses_check on status_check_responses (check_id);
`;

export const projectsMigration: Migration = {
  name: '0015-projects',
  statements: [attributes, around, keys, accounts, checks],
};
