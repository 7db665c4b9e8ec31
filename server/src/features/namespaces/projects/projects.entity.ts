/** JSON of projects: the short form that everyone may see, and the whole one for signed-in callers. */
import Type, { type Static, type TOptional, type TProperties } from 'typebox';
import {
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { UserReference } from '../../identity/index.ts';

const namespace = Fields({
  id: Id(),
  name: Text(),
  path: Text(),
  kind: Word(['user', 'group']),
  full_path: Text(),
  parent_id: Nullable(Id()),
  avatar_url: Nullable(Text()),
  web_url: Text(),
});

const statistics = Fields({
  commit_count: Count(),
  storage_size: Count(),
  repository_size: Count(),
  wiki_size: Count(),
  lfs_objects_size: Count(),
  job_artifacts_size: Count(),
  pipeline_artifacts_size: Count(),
  packages_size: Count(),
  snippets_size: Count(),
  uploads_size: Count(),
});

const access = Fields({
  access_level: Count({ description: 'Role: 5, 10, 15, 20, 30, 40 or 50' }),
  notification_level: Count(),
});
const NullableAccess = Type.Unsafe<Static<typeof access> | null>({ ...access, type: ['object', 'null'] });

/** An invited group as groups and projects show it. */
export const sharedGroup = Fields({
  group_id: Id(),
  group_name: Text(),
  group_full_path: Text(),
  group_access_level: Count(),
  expires_at: Nullable(Day()),
});

export type SharedGroup = Static<typeof sharedGroup>;

const featureLevel = () => Word(['disabled', 'private', 'enabled', 'public']);

const basic = {
  id: Id(),
  description: Nullable(Text()),
  name: Text(),
  name_with_namespace: Text(),
  path: Text(),
  path_with_namespace: Text(),
  created_at: Timestamp(),
  default_branch: Nullable(Text()),
  tag_list: ListOf(Text(), { deprecated: true, description: 'Use `topics`' }),
  topics: ListOf(Text()),
  ssh_url_to_repo: Text(),
  http_url_to_repo: Text(),
  web_url: Text(),
  readme_url: Nullable(Text({ description: 'Page of the README' })),
  forks_count: Count(),
  avatar_url: Nullable(Text()),
  star_count: Count(),
  last_activity_at: Timestamp({ description: 'When something last happened in it, to the hour' }),
  visibility: Word(['private', 'internal', 'public']),
  namespace,
};

const whole = {
  updated_at: Timestamp(),
  archived: Flag({ description: 'Whether it is read-only' }),
  empty_repo: Flag({ description: 'Whether nothing was pushed yet' }),
  owner: Sometimes(UserReference),
  _links: Fields(
    {
      self: Text(),
      issues: Sometimes(Text()),
      merge_requests: Sometimes(Text()),
      repo_branches: Text(),
      labels: Text(),
      events: Text(),
      members: Text(),
      cluster_agents: Text(),
    },
    { description: 'Addresses of the parts of the project in the API' },
  ),
  marked_for_deletion_at: Nullable(Day({ description: 'The day since when it waits for its removal' })),
  marked_for_deletion_on: Nullable(Day({ description: 'The day since when it waits for its removal' })),
  repository_object_format: Text({ description: 'Hash of the repository' }),
  issues_enabled: Flag(),
  merge_requests_enabled: Flag(),
  wiki_enabled: Flag(),
  jobs_enabled: Flag(),
  snippets_enabled: Flag(),
  packages_enabled: Nullable(Flag()),
  container_registry_enabled: Flag(),
  service_desk_enabled: Nullable(Flag()),
  can_create_merge_request_in: Flag({ description: 'Whether the caller may create merge requests' }),
  issues_access_level: featureLevel(),
  repository_access_level: featureLevel(),
  merge_requests_access_level: featureLevel(),
  forking_access_level: featureLevel(),
  wiki_access_level: featureLevel(),
  builds_access_level: featureLevel(),
  snippets_access_level: featureLevel(),
  releases_access_level: featureLevel(),
  environments_access_level: featureLevel(),
  container_registry_access_level: featureLevel(),
  pages_access_level: featureLevel(),
  emails_disabled: Nullable(Flag()),
  emails_enabled: Nullable(Flag()),
  shared_runners_enabled: Flag(),
  group_runners_enabled: Flag(),
  lfs_enabled: Flag(),
  request_access_enabled: Flag(),
  creator_id: Nullable(Id({ description: 'Who created it' })),
  import_status: Text({ description: 'State of the import; `none` for projects that were not imported' }),
  open_issues_count: Sometimes(Count()),
  ci_default_git_depth: Nullable(Count()),
  ci_forward_deployment_enabled: Nullable(Flag()),
  ci_separated_caches: Nullable(Flag()),
  ci_job_token_scope_enabled: Flag(),
  ci_config_path: Nullable(Text()),
  build_git_strategy: Text(),
  build_timeout: Count({ description: 'Seconds' }),
  auto_cancel_pending_pipelines: Word(['enabled', 'disabled']),
  public_jobs: Flag(),
  keep_latest_artifact: Flag(),
  shared_with_groups: ListOf(sharedGroup),
  only_allow_merge_if_pipeline_succeeds: Flag(),
  allow_merge_on_skipped_pipeline: Nullable(Flag()),
  only_allow_merge_if_all_discussions_are_resolved: Flag(),
  remove_source_branch_after_merge: Flag(),
  resolve_outdated_diff_discussions: Flag(),
  printing_merge_request_link_enabled: Flag(),
  merge_method: Word(['merge', 'rebase_merge', 'ff']),
  squash_option: Word(['never', 'always', 'default_on', 'default_off']),
  merge_pipelines_enabled: Flag(),
  merge_trains_enabled: Flag(),
  suggestion_commit_message: Nullable(Text()),
  merge_commit_template: Nullable(Text()),
  squash_commit_template: Nullable(Text()),
  autoclose_referenced_issues: Flag(),
  repository_storage: Sometimes(Text({ description: 'Administrators only' })),
  statistics: Sometimes(statistics),
  permissions: Sometimes(Fields({ project_access: NullableAccess, group_access: NullableAccess })),
};

type Optionals<T extends TProperties> = { [K in keyof T]: TOptional<T[K]> };
const optionals = <T extends TProperties>(properties: T): Optionals<T> =>
  Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Sometimes(schema)])) as Optionals<T>;

/** A project: the short form has the keys up to `namespace`. */
export const Project = Entity('Project', { ...basic, ...optionals(whole) });
export type ProjectJson = Static<typeof Project>;
export type BasicProjectJson = Pick<ProjectJson, keyof typeof basic>;

export type ProjectStatistics = Static<typeof statistics>;

/** What the JSON tells besides the row, read for a whole page at once. */
export interface ProjectExtras {
  readonly readmePath: string | null;
  /** Direct level of the caller. */
  readonly projectAccess: number | null;
  /** Highest level of the caller on the groups above. */
  readonly groupAccess: number | null;
  readonly sharedWith: readonly SharedGroup[];
  readonly owner: Static<typeof UserReference> | null;
  readonly statistics: ProjectStatistics | null;
}
