/** Merge requests as the API shows them, and where their JSON keys are spelled. */
import Type, { type Static } from 'typebox';
import {
  Count,
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
import { PipelineBasic, PipelineDetail } from '../../ci/index.ts';
import { LabelBasic, labelBasicJson, Milestone, milestoneJson } from '../../collaboration/index.ts';
import { TimeStats, timeStatsJson } from '../../collaboration/time-tracking/index.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { pathFrom, type SeenFrom } from '../../namespaces/index.ts';
import { Commit, FileDiff } from '../../repository/index.ts';
import { MergeConflict } from './conflicts.entity.ts';
import type { LoadedMergeRequest } from './merge-requests.queries.ts';
import type { ReviewStatus } from './review-status.queries.ts';

/** How far a reviewer is. */
export const reviewStateWord = Word(['unreviewed', 'reviewed', 'requested_changes', 'approved', 'unapproved']);

const References = Fields({ short: Text(), relative: Text(), full: Text() });
const TaskStatus = Fields({ count: Count(), completed_count: Count() });

const basic = {
  id: Id(),
  iid: Id({ description: 'Number within the project' }),
  project_id: Id({ description: 'Id of the project' }),
  title: Text(),
  description: Nullable(Text()),
  state: Text({ description: '`opened`, `closed`, `merged` or `locked`' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  merged_by: Nullable(UserReference),
  merge_user: Nullable(UserReference, { description: 'Who merged it, or chose that it is merged' }),
  merged_at: Nullable(Timestamp()),
  closed_by: Nullable(UserReference),
  closed_at: Nullable(Timestamp()),
  target_branch: Text(),
  source_branch: Text(),
  user_notes_count: Count({ description: 'Comments of users, without system notes' }),
  upvotes: Count(),
  downvotes: Count(),
  author: UserReference,
  assignees: ListOf(UserReference),
  assignee: Nullable(UserReference, { deprecated: true, description: 'The first; use `assignees`' }),
  reviewers: ListOf(UserReference),
  source_project_id: Nullable(Id({ description: 'Project that the changes come from; null when it is gone' })),
  target_project_id: Id({ description: 'Project that the changes go to' }),
  labels: ListOf(Text(), { description: 'Titles' }),
  draft: Flag(),
  imported: Flag({ description: 'Whether it was imported' }),
  imported_from: Text({ description: 'Where it was imported from; `none` otherwise' }),
  work_in_progress: Flag({ deprecated: true, description: 'Use `draft`' }),
  milestone: Nullable(Milestone),
  merge_when_pipeline_succeeds: Flag({ description: 'Whether it is merged when its pipeline succeeds' }),
  merge_status: Text({ deprecated: true, description: 'Use `detailed_merge_status`' }),
  detailed_merge_status: Text({ description: 'Why it can or cannot be merged, in one word' }),
  merge_after: Nullable(Timestamp({ description: 'Not merged before this time' })),
  approvals_before_merge: Nullable(
    Count({ deprecated: true, description: 'Approvals that it requires itself; use approval rules' }),
  ),
  sha: Nullable(Text()),
  merge_commit_sha: Nullable(Text({ description: 'The merge commit; null before, and where there is none' })),
  squash_commit_sha: Nullable(Text({ description: 'The squashed commit; null before, and where there is none' })),
  discussion_locked: Nullable(Flag()),
  should_remove_source_branch: Nullable(
    Flag({ description: 'Whether merging removes the source branch, where somebody chose' }),
  ),
  force_remove_source_branch: Nullable(
    Flag({ description: 'Whether the author chose that merging removes the source branch' }),
  ),
  prepared_at: Nullable(Timestamp({ description: 'When all that is computed for a new one was there' })),
  reference: Text({ deprecated: true, description: 'Use `references`' }),
  references: References,
  web_url: Text(),
  time_stats: TimeStats,
  squash: Flag(),
  squash_on_merge: Flag({ description: 'Whether merging squashes, with the setting of the project' }),
  task_completion_status: TaskStatus,
  has_conflicts: Flag({ description: 'Whether it conflicts with the target branch' }),
  blocking_discussions_resolved: Flag({ description: 'Whether no open discussion keeps it from being merged' }),
  allow_collaboration: Flag(),
  allow_maintainer_to_push: Flag({ deprecated: true, description: 'Use `allow_collaboration`' }),
};

export const MergeRequest = Entity('MergeRequest', basic);
export type MergeRequestJson = Static<typeof MergeRequest>;

/** As lists show it: with `with_labels_details`, labels are more than their titles. */
export const ListedMergeRequest = Entity('ListedMergeRequest', {
  ...basic,
  labels: Type.Union([ListOf(Text(), { description: 'Titles' }), ListOf(LabelBasic)]),
  review_status: Sometimes(
    Fields(
      {
        pipeline: Nullable(
          Fields({ id: Id(), status: Text() }, { description: 'Head pipeline, for those who may see pipelines' }),
        ),
        approvals: Count({ description: 'Users who have approved' }),
        open_threads: Count({ description: 'Threads that are not resolved' }),
        reviewers: ListOf(Fields({ id: Id({ description: 'User id' }), state: reviewStateWord })),
      },
      { description: 'With `with_review_status`' },
    ),
  ),
});

const { id, iid, project_id, title, description, state, created_at, updated_at, web_url } = basic;

/** As lists show it with `view=simple`. */
export const SimpleMergeRequest = Entity('SimpleMergeRequest', {
  ...{ id, iid, project_id, title, description, state, created_at, updated_at, web_url },
});
export const ListedMergeRequests = ListOf(Type.Union([ListedMergeRequest, SimpleMergeRequest]));

export const MergeRequestStatistics = Entity('MergeRequestStatistics', {
  statistics: Fields({ counts: Fields({ all: Count(), opened: Count(), closed: Count(), merged: Count() }) }),
});

export const MergeRequestDetail = Entity('MergeRequestDetail', {
  ...basic,
  title_html: Sometimes(Text({ description: 'With `render_html`' })),
  description_html: Sometimes(Nullable(Text({ description: 'With `render_html`' }))),
  subscribed: Flag({ description: 'Whether the caller is told of changes' }),
  changes_count: Nullable(Text({ description: 'Changed files; with a plus when there are more' })),
  latest_build_started_at: Nullable(Timestamp()),
  latest_build_finished_at: Nullable(Timestamp()),
  first_deployed_to_production_at: Nullable(Timestamp()),
  pipeline: Nullable(PipelineBasic),
  head_pipeline: Nullable(PipelineDetail),
  diff_refs: Nullable(
    Fields(
      { base_sha: Text(), head_sha: Text(), start_sha: Text() },
      { description: 'The commits that the changes are between' },
    ),
  ),
  merge_error: Nullable(Text({ description: 'Why the last attempt to merge failed' })),
  rebase_in_progress: Sometimes(Flag({ description: 'Whether a rebase runs' })),
  diverged_commits_count: Sometimes(Count({ description: 'Commits that the source branch is behind' })),
  counts: Sometimes(
    Fields(
      {
        commits: Count(),
        pipelines: Nullable(Count({ description: 'null for those who may not see pipelines' })),
        open_threads: Count({ description: 'Threads that are not resolved' }),
        pending_comments: Count({ description: "The caller's comments that are not published yet" }),
        versions: Count({ description: 'Versions of its changes' }),
        stacked: Count({ description: 'Open merge requests that it stands on, or that stand on it' }),
        status_checks: Count({ description: 'External status checks of the project' }),
        label_events: Count({ description: 'Resource events about its labels' }),
        milestone_events: Count(),
        state_events: Count(),
        reactions: Count({ description: 'Reactions to the merge request itself' }),
        reports: ListOf(Text(), {
          description: 'Routes below it that have reports to answer, such as `test_reports`',
        }),
      },
      { description: 'With `with_counts`' },
    ),
  ),
  conflicts: Sometimes(
    ListOf(MergeConflict, { description: 'What conflicts with the target branch, by file, where something does' }),
  ),
  first_contribution: Flag({ description: "Whether it is the author's first in the project" }),
  user: Fields({ can_merge: Flag() }),
});
export type MergeRequestDetailJson = Static<typeof MergeRequestDetail>;

export const MergeRequestChanges = Entity('MergeRequestChanges', {
  ...MergeRequestDetail.properties,
  changes: ListOf(FileDiff),
  overflow: Flag({ description: 'Whether changes were left out' }),
});

export const RebaseStarted = Entity('MergeRequestRebase', {
  rebase_in_progress: Flag({ description: 'Whether a rebase runs' }),
});

export const MergeRequestVersion = Entity('MergeRequestVersion', {
  id: Id(),
  head_commit_sha: Text(),
  base_commit_sha: Text(),
  start_commit_sha: Text(),
  created_at: Timestamp(),
  merge_request_id: Id(),
  state: Text(),
  real_size: Text({ description: 'Changed files' }),
  patch_id_sha: Nullable(Text({ description: 'Equal for equal changes' })),
});

export const MergeRequestVersionDetail = Entity('MergeRequestVersionDetail', {
  ...MergeRequestVersion.properties,
  commits: ListOf(Commit),
  diffs: ListOf(FileDiff),
});

/** What clients are told when the merge request no longer waits for its pipeline. */
export const AutoMergeCanceled = Entity('AutoMergeCanceled', { status: Text() });

const draftTitle = /^\s*(\[draft\]|\(draft\)|draft:|draft\s-\s|draft$)/i;

/** Whether a title marks the merge request as not ready. */
export const isDraft = (title: string): boolean => draftTitle.test(title);

/** Completed and all items of Markdown task lists. */
export function taskStatus(description: string | null): { count: number; completed_count: number } {
  const items = [...(description ?? '').matchAll(/^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s/gm)];
  return { count: items.length, completed_count: items.filter((item) => item[1] !== ' ').length };
}

/** The address of the instance, and from where it is looked at; by default from its project. */
interface ShownFrom {
  readonly base: string;
  readonly from?: SeenFrom | undefined;
}

/** Row to JSON. `detailedStatus` is the computed reason why it can or cannot be merged now. */
export function mergeRequestJson(
  loaded: LoadedMergeRequest,
  urls: ShownFrom,
  detailedStatus: string,
): MergeRequestJson {
  const { row, project } = loaded;
  const person = (user: LoadedMergeRequest['author'] | null) => (user ? userReference(user, urls.base) : null);
  const path = project.path_with_namespace;
  const draft = isDraft(row.title);
  const author = person(loaded.author);
  if (!author) throw new Error(`merge request ${row.id} has no author`);
  const merger = person(loaded.mergeUser);
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    merged_by: row.state === 'merged' ? merger : null,
    merge_user: merger,
    merged_at: row.merged_at,
    closed_by: person(loaded.closedBy),
    closed_at: row.closed_at,
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    user_notes_count: loaded.responses.comments,
    upvotes: loaded.responses.upvotes,
    downvotes: loaded.responses.downvotes,
    author,
    assignees: loaded.assignees.map((user) => userReference(user, urls.base)),
    assignee: person(loaded.assignees[0] ?? null),
    reviewers: loaded.reviewers.map((user) => userReference(user, urls.base)),
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    labels: loaded.labels.map(({ title }) => title),
    draft,
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
    work_in_progress: draft,
    milestone: loaded.milestone && milestoneJson(loaded.milestone, urls.base),
    merge_when_pipeline_succeeds: row.auto_merge,
    merge_status: row.merge_status,
    detailed_merge_status: detailedStatus,
    merge_after: row.merge_after,
    approvals_before_merge: row.approvals_before_merge,
    sha: row.head_sha,
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    discussion_locked: row.discussion_locked,
    should_remove_source_branch: removesBranch(loaded),
    force_remove_source_branch: row.force_remove_source_branch,
    prepared_at: row.prepared_at,
    reference: `!${row.iid}`,
    references: {
      short: `!${row.iid}`,
      relative: `${pathFrom(project, urls.from ?? { projectId: project.id })}!${row.iid}`,
      full: `${path}!${row.iid}`,
    },
    web_url: urlOf(row, path, urls.base),
    time_stats: timeStatsJson(row),
    squash: row.squash,
    squash_on_merge: row.squash || project.squash_option === 'always',
    task_completion_status: taskStatus(row.description),
    has_conflicts: row.has_conflicts,
    blocking_discussions_resolved: !loaded.blockedByThreads,
    allow_collaboration: row.allow_collaboration,
    allow_maintainer_to_push: row.allow_collaboration,
  };
}

const urlOf = ({ iid }: Pick<LoadedMergeRequest['row'], 'iid'>, path: string, base: string) =>
  `${base}/${path}/-/merge_requests/${iid}`;

/** As lists show it with `view=simple`. */
export function simpleJson(
  row: LoadedMergeRequest['row'],
  path: string,
  base: string,
): Static<typeof SimpleMergeRequest> {
  const { id, iid, project_id, title, description, state, created_at, updated_at } = row;
  const web_url = urlOf(row, path, base);
  return { id, iid, project_id, title, description, state, created_at, updated_at, web_url };
}

/** The same for a list, with details of labels where they were asked for. */
export const listedJson = (
  loaded: LoadedMergeRequest,
  urls: ShownFrom,
  detailedStatus: string,
  labelDetails: boolean,
  status?: ReviewStatus | undefined,
): Static<typeof ListedMergeRequest> => ({
  ...mergeRequestJson(loaded, urls, detailedStatus),
  ...(labelDetails ? { labels: loaded.labels.map(labelBasicJson) } : {}),
  ...(status ? { review_status: { ...status, reviewers: [...status.reviewers] } } : {}),
});

function removesBranch(loaded: LoadedMergeRequest): boolean | null {
  const params = loaded.row.auto_merge_params;
  if (params === null || typeof params !== 'object' || Array.isArray(params)) return null;
  const value = params.should_remove_source_branch;
  return typeof value === 'boolean' ? value : null;
}

/** A version of the source branch, as listed under `versions`. */
export function versionJson(
  row: {
    id: number;
    merge_request_id: number;
    head_sha: string;
    base_sha: string;
    start_sha: string;
    created_at: Date;
  },
  realSize: string,
  patchId: string | null,
): Static<typeof MergeRequestVersion> {
  return {
    id: row.id,
    head_commit_sha: row.head_sha,
    base_commit_sha: row.base_sha,
    start_commit_sha: row.start_sha,
    created_at: row.created_at,
    merge_request_id: row.merge_request_id,
    state: realSize === '0' ? 'empty' : 'collected',
    real_size: realSize,
    patch_id_sha: patchId,
  };
}
