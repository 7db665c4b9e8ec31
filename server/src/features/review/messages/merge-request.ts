/** Messages of merge requests, as webhooks and external status checks send them. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Label, MergeRequest, User } from '../../../kernel/db/rows.ts';
import { isDraft } from '../merge-requests/merge-requests.entity.ts';
import { labelsOf } from '../merge-requests/planned.queries.ts';
import { peopleOf } from './messages.queries.ts';
import {
  type CommitFacts,
  commitPart,
  dateText,
  personPart,
  projectPart,
  repositoryPart,
  type Urls,
  webUrlOf,
} from './parts.ts';

const stateIds = { opened: 1, closed: 2, merged: 3, locked: 4 } as const;

export const mergeRequestActions = {
  'merge_request.opened': 'open',
  'merge_request.updated': 'update',
  'merge_request.head_changed': 'update',
  'merge_request.closed': 'close',
  'merge_request.reopened': 'reopen',
  'merge_request.merged': 'merge',
  'merge_request.approved': 'approved',
  'merge_request.approval': 'approval',
  'merge_request.unapproved': 'unapproved',
  'merge_request.unapproval': 'unapproval',
} as const;

const seconds = (date: Date | string) => `${new Date(date).toISOString().slice(0, 19)}Z`;

/** Labels as rows, or as a fact has them. */
export const labelParts = (labels: unknown) =>
  (
    labels as readonly (Omit<Label, 'created_at' | 'updated_at'> & Record<'created_at' | 'updated_at', Date | string>)[]
  ).map((label) => ({
    id: label.id,
    title: label.title,
    color: label.color,
    project_id: label.project_id,
    created_at: seconds(label.created_at),
    updated_at: seconds(label.updated_at),
    template: false,
    description: label.description,
    type: label.project_id === null ? 'GroupLabel' : 'ProjectLabel',
    group_id: label.namespace_id,
  }));

type Changes = Readonly<Record<string, { readonly previous: unknown; readonly current: unknown }>>;

/** Other columns than clients know are left out; dates are written as they expect. */
function changesPart(changes: Changes) {
  const { head_sha: _head, title, ...rest } = changes;
  const before = title && isDraft(String(title.previous));
  const after = title && isDraft(String(title.current));
  const written = (value: unknown) => (value === null ? null : dateText(new Date(String(value))));
  return {
    ...(title ? { title } : {}),
    ...(before === after ? {} : { draft: { previous: before, current: after } }),
    ...Object.fromEntries(
      Object.entries(rest).map(([name, { previous, current }]) =>
        name === 'state'
          ? [
              'state_id',
              {
                previous: stateIds[previous as keyof typeof stateIds],
                current: stateIds[current as keyof typeof stateIds],
              },
            ]
          : name === 'labels'
            ? [name, { previous: labelParts(previous), current: labelParts(current) }]
            : name === 'updated_at'
              ? [name, { previous: written(previous), current: written(current) }]
              : [name, { previous, current }],
      ),
    ),
  };
}

/** What pipelines tell of the request that they are of. */
export const mergeRequestBrief = (row: MergeRequest, subject: ProjectSubject, urls: Urls) => ({
  id: row.id,
  iid: row.iid,
  title: row.title,
  source_branch: row.source_branch,
  source_project_id: row.source_project_id,
  target_branch: row.target_branch,
  target_project_id: row.project_id,
  state: row.state,
  merge_status: row.merge_status,
  url: `${webUrlOf(subject, urls)}/-/merge_requests/${row.iid}`,
});

interface Commits {
  /** Null where the commit is gone. */
  commit(subject: ProjectSubject, sha: string): Promise<CommitFacts | null>;
}

interface Dependencies {
  readonly db: Db;
  readonly repository: Commits;
  readonly urls: Urls;
}

/** Target and, where it is there, source. */
interface Places {
  readonly target: ProjectSubject;
  readonly source: ProjectSubject | null;
}

/** The merge request as messages about it and about its comments show it, and the people whom they name beside it. */
export async function mergeRequestAttributes(deps: Dependencies, { target, source }: Places, row: MergeRequest) {
  const { db, repository, urls } = deps;
  const [assignees, reviewers, carried] = await Promise.all([
    peopleOf(db, row.id, 'assignee'),
    peopleOf(db, row.id, 'reviewer'),
    labelsOf(db, [row.id]),
  ]);
  const head = row.head_sha === null ? null : await repository.commit(source ?? target, row.head_sha);
  const draft = isDraft(row.title);
  const { url, ...brief } = mergeRequestBrief(row, target, urls);
  const attributes = {
    ...brief,
    author_id: row.author_id,
    assignee_ids: assignees.map(({ id }) => id),
    assignee_id: assignees[0]?.id ?? null,
    reviewer_ids: reviewers.map(({ id }) => id),
    description: row.description,
    created_at: dateText(row.created_at),
    updated_at: dateText(row.updated_at),
    prepared_at: dateText(row.prepared_at),
    milestone_id: row.milestone_id,
    head_pipeline_id: row.head_pipeline_id,
    state_id: stateIds[row.state],
    blocking_discussions_resolved: true,
    work_in_progress: draft,
    draft,
    merge_when_pipeline_succeeds: row.auto_merge,
    merge_user_id: row.merge_user_id,
    merge_commit_sha: row.merge_commit_sha,
    merge_error: row.merge_error,
    merge_params: { force_remove_source_branch: row.force_remove_source_branch },
    url,
    source: source && projectPart(source, urls),
    target: projectPart(target, urls),
    last_commit: head && commitPart(head, webUrlOf(source ?? target, urls)),
    labels: labelParts(carried.get(row.id) ?? []),
  };
  return { attributes, assignees, reviewers };
}

export async function mergeRequestPayload(
  deps: Dependencies,
  places: Places,
  row: MergeRequest,
  user: User | null,
  about: { readonly action?: string; readonly changes: Changes },
) {
  const { urls } = deps;
  const { attributes, assignees, reviewers } = await mergeRequestAttributes(deps, places, row);
  return {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: personPart(user, urls),
    project: projectPart(places.target, urls),
    object_attributes: {
      ...attributes,
      ...(about.action === undefined ? {} : { action: about.action }),
      ...(typeof about.changes.head_sha?.previous === 'string' ? { oldrev: about.changes.head_sha.previous } : {}),
    },
    labels: attributes.labels,
    changes: changesPart(about.changes),
    repository: repositoryPart(places.target, urls),
    ...(assignees.length > 0 ? { assignees: assignees.map((each) => personPart(each, urls)) } : {}),
    ...(reviewers.length > 0 ? { reviewers: reviewers.map((each) => personPart(each, urls)) } : {}),
  };
}
