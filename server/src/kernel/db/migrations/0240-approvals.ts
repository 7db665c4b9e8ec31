/** Approvals of merge requests: what projects and groups require, the rules, and who has approved. */
import type { Migration } from './index.ts';

const settings = `
-- A project without a row has the defaults.
create table project_approval_settings (
  project_id bigint primary key references projects (id) on delete cascade,
  reset_approvals_on_push boolean not null default true,
  selective_code_owner_removals boolean not null default false,
  disable_overriding_approvers_per_merge_request boolean not null default false,
  merge_requests_author_approval boolean not null default false,
  merge_requests_disable_committers_approval boolean not null default false,
  require_password_to_approve boolean not null default false,
  check (not (reset_approvals_on_push and selective_code_owner_removals))
);
`;

const rules = `
-- Of a project, or of one merge request.
create table approval_rules (
  id bigint generated always as identity primary key,
  project_id bigint references projects (id) on delete cascade,
  merge_request_id bigint references merge_requests (id) on delete cascade,
  -- The rule of the project that a rule of a merge request was copied from.
  source_rule_id bigint references approval_rules (id) on delete set null,
  name text not null check (char_length(name) between 1 and 1024),
  rule_type text not null check (rule_type in ('any_approver', 'regular', 'report_approver')),
  report_type text check (report_type in ('license_scanning', 'code_coverage')),
  approvals_required integer not null check (approvals_required between 0 and 100),
  applies_to_all_protected_branches boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (num_nonnulls(project_id, merge_request_id) = 1),
  check ((rule_type = 'report_approver') = (report_type is not null))
);
create unique index approval_rules_project_name_key on approval_rules (project_id, name) where project_id is not null;
create unique index approval_rules_request_name_key on approval_rules (merge_request_id, name)
  where merge_request_id is not null;
create unique index approval_rules_project_any_key on approval_rules (project_id) where rule_type = 'any_approver';
create unique index approval_rules_request_any_key on approval_rules (merge_request_id) where rule_type = 'any_approver';
create index approval_rules_project on approval_rules (project_id, id) where project_id is not null;
create index approval_rules_request on approval_rules (merge_request_id, id) where merge_request_id is not null;
create index approval_rules_source on approval_rules (source_rule_id) where source_rule_id is not null;
create table approval_rule_users (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (rule_id, user_id)
);
create index approval_rule_users_user on approval_rule_users (user_id);
create table approval_rule_groups (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  namespace_id bigint not null references namespaces (id) on delete cascade,
  primary key (rule_id, namespace_id)
);
create index approval_rule_groups_namespace on approval_rule_groups (namespace_id);
create table approval_rule_branches (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  protected_branch_id bigint not null references protected_branches (id) on delete cascade,
  primary key (rule_id, protected_branch_id)
);
create index approval_rule_branches_branch on approval_rule_branches (protected_branch_id);
`;

const approvals = `
create table approvals (
  id bigint generated always as identity primary key,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  -- What was approved: the commit, and a hash of its changes that stays the same when they are rebased.
  head_sha text not null,
  patch_id text not null,
  created_at timestamptz(3) not null default now(),
  constraint approvals_key unique (merge_request_id, user_id)
);
create index approvals_user on approvals (user_id);
-- Who pushed a commit, by the commit.
create index events_pushed_commit on events (commit_to) where action = 'pushed';
`;

export const approvalsMigration: Migration = { name: '0240-approvals', statements: [settings, rules, approvals] };
