/** Parameters of projects: what can be set, and how it is stored. */
import type { Static, TObject } from 'typebox';
import Type from 'typebox';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  IdOrPath,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { visibilities } from '../naming/naming.ts';
import type { ProjectFilter } from './listing.queries.ts';
import type { ProjectChanges } from './projects.queries.ts';

const featureLevels = ['disabled', 'private', 'enabled'] as const;
const featureLevel = (deprecatedSwitch: string) =>
  Optional(OneOf(featureLevels, { description: `Replaces \`${deprecatedSwitch}\`` }));
const oldSwitch = (replacement: string) => Optional(Bool({ deprecated: true, description: `Use \`${replacement}\`` }));

/** Columns that are parameters of the same name and type. */
const stored = {
  description: Optional(OrNull(Str({ maxLength: 2000 }))),
  emails_enabled: Optional(Bool()),
  lfs_enabled: Optional(Bool()),
  request_access_enabled: Optional(Bool()),
  shared_runners_enabled: Optional(Bool()),
  group_runners_enabled: Optional(Bool()),
  merge_method: Optional(OneOf(['merge', 'rebase_merge', 'ff'])),
  squash_option: Optional(OneOf(['never', 'always', 'default_on', 'default_off'])),
  only_allow_merge_if_pipeline_succeeds: Optional(Bool()),
  allow_merge_on_skipped_pipeline: Optional(OrNull(Bool())),
  only_allow_merge_if_all_discussions_are_resolved: Optional(Bool()),
  remove_source_branch_after_merge: Optional(Bool()),
  resolve_outdated_diff_discussions: Optional(Bool()),
  printing_merge_request_link_enabled: Optional(Bool()),
  merge_pipelines_enabled: Optional(Bool()),
  merge_trains_enabled: Optional(Bool()),
  merge_commit_template: Optional(OrNull(Str({ maxLength: 500 }))),
  squash_commit_template: Optional(OrNull(Str({ maxLength: 500 }))),
  suggestion_commit_message: Optional(OrNull(Str({ maxLength: 255 }))),
  ci_config_path: Optional(OrNull(Str({ maxLength: 255 }))),
  ci_default_git_depth: Optional(OrNull(Int({ minimum: 0, maximum: 1000 }))),
  ci_forward_deployment_enabled: Optional(Bool()),
  ci_separated_caches: Optional(Bool()),
  ci_job_token_scope_enabled: Optional(Bool()),
  build_git_strategy: Optional(OneOf(['fetch', 'clone'])),
  build_timeout: Optional(Int({ minimum: 600, maximum: 2_592_000, description: 'Seconds' })),
  keep_latest_artifact: Optional(Bool()),
  autoclose_referenced_issues: Optional(Bool()),
  issues_access_level: featureLevel('issues_enabled'),
  repository_access_level: Optional(OneOf(featureLevels)),
  merge_requests_access_level: featureLevel('merge_requests_enabled'),
  builds_access_level: featureLevel('jobs_enabled'),
  wiki_access_level: featureLevel('wiki_enabled'),
  snippets_access_level: featureLevel('snippets_enabled'),
  forking_access_level: Optional(OneOf(featureLevels)),
  releases_access_level: Optional(OneOf(featureLevels)),
  environments_access_level: Optional(OneOf(featureLevels)),
};

/** What `POST /projects` and `PUT /projects/:id` have in common. */
export const attributes = {
  ...stored,
  visibility: Optional(OneOf(visibilities)),
  topics: Optional(List(Str({ maxLength: 255 }), { commas: true, maxItems: 100 })),
  tag_list: Optional(
    OrNull(
      List(Str({ maxLength: 255 }), { commas: true, maxItems: 100, deprecated: true, description: 'Use `topics`' }),
    ),
  ),
  default_branch: Optional(Str({ minLength: 1, maxLength: 255 })),
  auto_cancel_pending_pipelines: Optional(OneOf(['enabled', 'disabled'])),
  public_jobs: Optional(Bool()),
  public_builds: oldSwitch('public_jobs'),
  emails_disabled: oldSwitch('emails_enabled'),
  issues_enabled: oldSwitch('issues_access_level'),
  merge_requests_enabled: oldSwitch('merge_requests_access_level'),
  jobs_enabled: oldSwitch('builds_access_level'),
  wiki_enabled: oldSwitch('wiki_access_level'),
  snippets_enabled: oldSwitch('snippets_access_level'),
};
const attributesObject = Type.Object(attributes);
export type Attributes = Static<typeof attributesObject>;

const switches = {
  issues_enabled: 'issues_access_level',
  merge_requests_enabled: 'merge_requests_access_level',
  jobs_enabled: 'builds_access_level',
  wiki_enabled: 'wiki_access_level',
  snippets_enabled: 'snippets_access_level',
} as const;

const cleanTopics = (topics: readonly string[]) => [
  ...new Set(topics.map((topic) => topic.trim()).filter((topic) => topic !== '')),
];

/** The columns that the parameters set; visibility and default branch are the caller's to check. */
export function changesOf(params: Attributes): ProjectChanges {
  const changes: Record<string, unknown> = {};
  for (const key of Object.keys(stored)) {
    const value = params[key as keyof typeof stored];
    if (value !== undefined) changes[key] = value;
  }
  for (const [old, column] of Object.entries(switches)) {
    const value = params[old as keyof typeof switches];
    if (value !== undefined && changes[column] === undefined) changes[column] = value ? 'enabled' : 'disabled';
  }
  const topics = params.topics ?? params.tag_list;
  if (topics) changes.topics = cleanTopics(topics);
  const publicJobs = params.public_jobs ?? params.public_builds;
  if (publicJobs !== undefined) changes.public_jobs = publicJobs;
  if (params.emails_disabled !== undefined && changes.emails_enabled === undefined)
    changes.emails_enabled = !params.emails_disabled;
  if (params.auto_cancel_pending_pipelines !== undefined)
    changes.auto_cancel_pending_pipelines = params.auto_cancel_pending_pipelines === 'enabled';
  return changes as ProjectChanges;
}

const orders = [
  'id',
  'name',
  'path',
  'created_at',
  'updated_at',
  'last_activity_at',
  'similarity',
  'star_count',
] as const;

/** Filters that every list of projects knows. */
export const listParameters = {
  archived: Optional(Bool()),
  visibility: Optional(OneOf(visibilities)),
  order_by: Optional(OneOf(orders, { description: 'Default `created_at`' })),
  sort: Optional(OneOf(['asc', 'desc'], { description: 'Default `desc`' })),
  search: Optional(Str()),
  simple: Optional(Bool({ default: false, description: 'The short form' })),
  owned: Optional(Bool({ default: false })),
  topic: Optional(List(Str(), { commas: true, description: 'All of these' })),
  with_issues_enabled: Optional(Bool({ default: false })),
  with_merge_requests_enabled: Optional(Bool({ default: false })),
  min_access_level: Optional(Int({ description: 'The lowest level of the caller' })),
  with_custom_attributes: Optional(Bool({ default: false, description: 'Administrators only' })),
};

/** Filters of the instance-wide list and of a user's projects. */
export const wideListParameters = {
  ...listParameters,
  active: Optional(Bool({ description: 'Neither archived nor waiting for removal' })),
  search_namespaces: Optional(Bool({ description: 'Also search in the paths of namespaces' })),
  membership: Optional(Bool({ default: false, description: "The caller's own" })),
  statistics: Optional(Bool({ default: false })),
  id_after: Optional(Int()),
  id_before: Optional(Int()),
  last_activity_after: Optional(DateTimeParam()),
  last_activity_before: Optional(DateTimeParam()),
  updated_after: Optional(DateTimeParam()),
  updated_before: Optional(DateTimeParam()),
  marked_for_deletion_on: Optional(DateParam()),
  repository_storage: Optional(Str({ description: 'Administrators only' })),
};

type ListParameters = Static<TObject<typeof listParameters>>;
type WideListParameters = Static<TObject<typeof wideListParameters>>;

const grantable = [5, 10, 15, 20, 30, 40, 50];

/** The caller's lowest level that a list asks for; undefined for everything visible. */
export function minimumLevel(params: {
  readonly owned?: boolean;
  readonly membership?: boolean;
  readonly min_access_level?: number;
}): number | undefined {
  const wanted = params.min_access_level;
  if (wanted !== undefined && !grantable.includes(wanted))
    throw invalidParameters(['min_access_level does not have a valid value']);
  const levels = [wanted ?? 0, params.owned ? 50 : 0, params.membership ? 10 : 0];
  const highest = Math.max(...levels);
  return highest === 0 ? undefined : highest;
}

export function filterOf(params: ListParameters): ProjectFilter {
  return {
    archived: params.archived,
    visibility: params.visibility,
    search: params.search,
    topics: params.topic,
    issuesEnabled: params.with_issues_enabled,
    mergeRequestsEnabled: params.with_merge_requests_enabled,
    minimumLevel: minimumLevel(params),
  };
}

export function wideFilterOf(params: WideListParameters, admin: boolean): ProjectFilter {
  return {
    ...filterOf(params),
    minimumLevel: minimumLevel(params),
    active: params.active,
    searchNamespaces: params.search_namespaces,
    idAfter: params.id_after,
    idBefore: params.id_before,
    activityAfter: params.last_activity_after,
    activityBefore: params.last_activity_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    markedForDeletionOn: params.marked_for_deletion_on,
    ...(admin ? { repositoryStorage: params.repository_storage } : {}),
  };
}

export const projectId = { id: IdOrPath('Project') };
