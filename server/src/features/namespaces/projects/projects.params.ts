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
  description: Optional(OrNull(Str({ maxLength: 2000, description: 'What the project is about' }))),
  emails_enabled: Optional(Bool({ description: 'Whether notifications are sent by email' })),
  lfs_enabled: Optional(Bool({ description: 'Whether Git LFS is on' })),
  request_access_enabled: Optional(Bool({ description: 'Whether users may ask to become members' })),
  shared_runners_enabled: Optional(Bool({ description: 'Whether runners of the instance run jobs' })),
  group_runners_enabled: Optional(Bool({ description: 'Whether runners of the groups above run jobs' })),
  merge_method: Optional(OneOf(['merge', 'rebase_merge', 'ff'], { description: 'How merge requests are merged' })),
  squash_option: Optional(
    OneOf(['never', 'always', 'default_on', 'default_off'], { description: 'Whether merge requests are squashed' }),
  ),
  only_allow_merge_if_pipeline_succeeds: Optional(
    Bool({ description: 'Whether a merge request needs a passed pipeline' }),
  ),
  allow_merge_on_skipped_pipeline: Optional(OrNull(Bool({ description: 'A skipped pipeline counts as passed' }))),
  only_allow_merge_if_all_discussions_are_resolved: Optional(
    Bool({ description: 'Whether open discussions keep a merge request from being merged' }),
  ),
  remove_source_branch_after_merge: Optional(
    Bool({ description: 'Whether new merge requests remove their source branch when merged' }),
  ),
  resolve_outdated_diff_discussions: Optional(
    Bool({ description: 'Whether discussions of lines that changed resolve themselves' }),
  ),
  printing_merge_request_link_enabled: Optional(
    Bool({ description: 'Whether a push prints the link to a merge request' }),
  ),
  merge_pipelines_enabled: Optional(Bool({ description: 'Whether merge requests run pipelines of the merged result' })),
  merge_trains_enabled: Optional(Bool({ description: 'Whether merge requests are merged in trains' })),
  merge_commit_template: Optional(
    OrNull(Str({ maxLength: 500, description: 'Template of messages of merge commits; null for the usual one' })),
  ),
  squash_commit_template: Optional(
    OrNull(Str({ maxLength: 500, description: 'Template of messages of squashed commits; null for the usual one' })),
  ),
  suggestion_commit_message: Optional(
    OrNull(Str({ maxLength: 255, description: 'Template of messages of applied suggestions; null for the usual one' })),
  ),
  ci_config_path: Optional(
    OrNull(
      Str({ maxLength: 255, description: 'Path of the CI configuration in the repository; null for the usual one' }),
    ),
  ),
  ci_default_git_depth: Optional(
    OrNull(Int({ minimum: 0, maximum: 1000, description: 'Commits that jobs fetch; 0 for all' })),
  ),
  ci_forward_deployment_enabled: Optional(Bool({ description: 'Whether older deployment jobs are skipped' })),
  ci_separated_caches: Optional(Bool({ description: 'Whether protected branches have caches of their own' })),
  ci_job_token_scope_enabled: Optional(
    Bool({ description: 'Whether job tokens of this project reach only listed projects' }),
  ),
  build_git_strategy: Optional(
    OneOf(['fetch', 'clone'], {
      description: 'How jobs get the repository: `fetch` into what is there, or `clone` anew',
    }),
  ),
  build_timeout: Optional(Int({ minimum: 600, maximum: 2_592_000, description: 'Seconds' })),
  keep_latest_artifact: Optional(
    Bool({ description: 'Whether artifacts of the latest pipeline of each ref are kept beyond their expiry' }),
  ),
  autoclose_referenced_issues: Optional(
    Bool({ description: 'Whether commits on the default branch close the issues that they name' }),
  ),
  issues_access_level: featureLevel('issues_enabled'),
  repository_access_level: Optional(OneOf(featureLevels, { description: 'Who may see the repository' })),
  merge_requests_access_level: featureLevel('merge_requests_enabled'),
  builds_access_level: featureLevel('jobs_enabled'),
  wiki_access_level: featureLevel('wiki_enabled'),
  snippets_access_level: featureLevel('snippets_enabled'),
  forking_access_level: Optional(OneOf(featureLevels, { description: 'Who may fork' })),
  releases_access_level: Optional(OneOf(featureLevels, { description: 'Who may see releases' })),
  environments_access_level: Optional(OneOf(featureLevels, { description: 'Who may use environments' })),
};

/** What `POST /projects` and `PUT /projects/:id` have in common. */
export const attributes = {
  ...stored,
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
  topics: Optional(
    List(Str({ maxLength: 255 }), { commas: true, maxItems: 100, description: 'Words that describe the project' }),
  ),
  tag_list: Optional(
    OrNull(
      List(Str({ maxLength: 255 }), { commas: true, maxItems: 100, deprecated: true, description: 'Use `topics`' }),
    ),
  ),
  default_branch: Optional(Str({ minLength: 1, maxLength: 255, description: 'Name of the default branch' })),
  auto_cancel_pending_pipelines: Optional(
    OneOf(['enabled', 'disabled'], {
      description: 'Whether a newer pipeline of the branch cancels older ones that wait',
    }),
  ),
  public_jobs: Optional(Bool({ description: 'Whether everyone who sees the project sees its jobs' })),
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
  archived: Optional(Bool({ description: 'Only archived projects, or only those that are not' })),
  visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
  order_by: Optional(OneOf(orders, { description: 'Default `created_at`' })),
  sort: Optional(OneOf(['asc', 'desc'], { description: 'Default `desc`' })),
  search: Optional(Str({ description: 'Only those whose name or description contains this text' })),
  simple: Optional(Bool({ default: false, description: 'The short form' })),
  owned: Optional(Bool({ default: false, description: 'Only those that the caller owns' })),
  topic: Optional(List(Str(), { commas: true, description: 'All of these' })),
  with_issues_enabled: Optional(Bool({ default: false, description: 'Only projects with issues switched on' })),
  with_merge_requests_enabled: Optional(
    Bool({ default: false, description: 'Only projects with merge requests switched on' }),
  ),
  min_access_level: Optional(Int({ description: 'The lowest level of the caller' })),
  with_custom_attributes: Optional(Bool({ default: false, description: 'Administrators only' })),
};

/** Filters of the instance-wide list and of a user's projects. */
export const wideListParameters = {
  ...listParameters,
  active: Optional(Bool({ description: 'Neither archived nor waiting for removal' })),
  search_namespaces: Optional(Bool({ description: 'Also search in the paths of namespaces' })),
  membership: Optional(Bool({ default: false, description: "The caller's own" })),
  statistics: Optional(Bool({ default: false, description: 'Also give sizes; for reporters and above' })),
  id_after: Optional(Int({ description: 'Only those with an id above this' })),
  id_before: Optional(Int({ description: 'Only those with an id below this' })),
  last_activity_after: Optional(DateTimeParam({ description: 'Only those with activity at or after this time' })),
  last_activity_before: Optional(DateTimeParam({ description: 'Only those with activity at or before this time' })),
  updated_after: Optional(DateTimeParam({ description: 'Only those changed at or after this time' })),
  updated_before: Optional(DateTimeParam({ description: 'Only those changed at or before this time' })),
  marked_for_deletion_on: Optional(DateParam({ description: 'Only those that wait for removal since this day' })),
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
