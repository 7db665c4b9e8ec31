/** Issues as the API shows them, and where their JSON keys are spelled. */
import Type, { type Static } from 'typebox';
import type { Epic, Issue as IssueRow, Iteration } from '../../../kernel/db/rows.ts';
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
import { LabelBasic, labelBasicJson, Milestone, milestoneJson, tasksOf, taskText } from '../../collaboration/index.ts';
import { TimeStats, timeStatsJson } from '../../collaboration/time-tracking/index.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { pathFrom, type SeenFrom } from '../../namespaces/index.ts';
import { IterationReference, iterationJson } from '../iterations/iterations.entity.ts';
import type { LoadedIssue } from './issues.queries.ts';

export const issueTypes = ['issue', 'incident', 'test_case', 'task'] as const;
export const severities = ['unknown', 'low', 'medium', 'high', 'critical'] as const;
export const healthStatuses = ['on_track', 'needs_attention', 'at_risk'] as const;

const basic = {
  id: Id(),
  iid: Id({ description: 'Number within the project' }),
  project_id: Id({ description: 'Id of the project' }),
  title: Text(),
  description: Nullable(Text()),
  state: Word(['opened', 'closed']),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  closed_at: Nullable(Timestamp()),
  closed_by: Nullable(UserReference),
  labels: ListOf(Text(), { description: 'Titles' }),
  milestone: Nullable(Milestone),
  assignees: ListOf(UserReference),
  author: UserReference,
  type: Text({ description: '`issue_type` in capitals' }),
  assignee: Nullable(UserReference, { deprecated: true, description: 'The first; use `assignees`' }),
  user_notes_count: Count({ description: 'Comments of users, without system notes' }),
  merge_requests_count: Count({ description: 'Merge requests that close it when they are merged' }),
  upvotes: Count(),
  downvotes: Count(),
  start_date: Nullable(Day()),
  due_date: Nullable(Day()),
  confidential: Flag({ description: 'Whether only its author, its assignees and members from planners on see it' }),
  discussion_locked: Flag({ description: 'Whether only members may comment' }),
  issue_type: Word(issueTypes),
  web_url: Text(),
  time_stats: TimeStats,
  task_completion_status: Fields({ count: Count(), completed_count: Count() }),
  weight: Nullable(Count()),
  blocking_issues_count: Count({ description: 'Open issues that it blocks' }),
  has_tasks: Flag({ description: 'Whether its description has check boxes' }),
  task_status: Text({ description: 'How many of its check boxes are ticked, in words' }),
  _links: Fields({
    self: Text(),
    notes: Text(),
    award_emoji: Text(),
    project: Text(),
    closed_as_duplicate_of: Nullable(Text()),
  }),
  reference: Text({ deprecated: true, description: 'Use `references`' }),
  references: Fields({ short: Text(), relative: Text(), full: Text() }),
  severity: Text({ description: 'Of an incident; `UNKNOWN` for others' }),
  moved_to_id: Nullable(Id({ description: 'Issue of another project that it was moved to' })),
  imported: Flag({ description: 'Whether it was imported' }),
  imported_from: Text({ description: 'Where it was imported from; `none` otherwise' }),
  service_desk_reply_to: Nullable(Text()),
  epic_iid: Nullable(Id({ deprecated: true, description: 'Use `epic`' })),
  epic: Nullable(
    Fields({
      id: Id(),
      iid: Id(),
      title: Text(),
      url: Text(),
      group_id: Id(),
      human_readable_end_date: Nullable(Text()),
      human_readable_timestamp: Nullable(Text()),
    }),
  ),
  iteration: Nullable(IterationReference),
  health_status: Nullable(Word(healthStatuses)),
};

const elsewhere = (description: string) =>
  Nullable(Fields({ title: Text(), reference: Text(), web_url: Text() }, { description }));
const IssueMoves = Fields(
  {
    moved_from: elsewhere('Issue of another project that was moved here'),
    moved_to: elsewhere('Issue that it was moved to'),
    duplicate_of: elsewhere('Issue that it was closed as a duplicate of'),
    promoted_to: elsewhere('Epic that it was promoted to'),
  },
  { description: 'With `with_moves`; each `null` where there is none that the caller sees' },
);
export type IssueMovesJson = Static<typeof IssueMoves>;

export const Issue = Entity('Issue', {
  ...basic,
  subscribed: Sometimes(Flag()),
  moves: Sometimes(IssueMoves),
  description_html: Sometimes(Nullable(Text({ description: 'With `render_html`' }))),
});
export type IssueJson = Static<typeof Issue>;

/** As lists show it: with `with_labels_details`, labels are more than their titles. */
export const ListedIssue = Entity('ListedIssue', {
  ...basic,
  labels: Type.Union([ListOf(Text(), { description: 'Titles' }), ListOf(LabelBasic)]),
});
export type ListedIssueJson = Static<typeof ListedIssue>;

export const IssueStatistics = Entity('IssueStatistics', {
  statistics: Fields({ counts: Fields({ all: Count(), closed: Count(), opened: Count() }) }),
});

const short = ({ iid }: Pick<IssueRow, 'iid'>) => `#${iid}`;

const epicJson = (epic: Epic & { readonly group_path: string }) => ({
  id: epic.id,
  iid: epic.iid,
  title: epic.title,
  url: `/groups/${epic.group_path}/-/epics/${epic.iid}`,
  group_id: epic.namespace_id,
  human_readable_end_date: null,
  human_readable_timestamp: null,
});

const iterationOf = (iteration: (Iteration & { readonly group_path: string }) | null, base: string) =>
  iteration && iterationJson(iteration, base);

/** Row to JSON. */
export function issueJson(loaded: LoadedIssue, base: string, from: SeenFrom): IssueJson {
  const { row, project, counts } = loaded;
  const path = project.path_with_namespace;
  const api = `${base}/api/v4/projects/${row.project_id}`;
  const self = `${api}/issues/${row.iid}`;
  const tasks = tasksOf(row.description);
  const assignees = loaded.assignees.map((user) => userReference(user, base));
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    closed_by: loaded.closedBy && userReference(loaded.closedBy, base),
    labels: loaded.labels.map(({ title }) => title),
    milestone: loaded.milestone && milestoneJson(loaded.milestone, base),
    assignees,
    author: userReference(loaded.author, base),
    type: row.type.toUpperCase(),
    assignee: assignees[0] ?? null,
    user_notes_count: counts.notes,
    merge_requests_count: counts.mergeRequests,
    upvotes: counts.upvotes,
    downvotes: counts.downvotes,
    start_date: row.start_date,
    due_date: row.due_date,
    confidential: row.confidential,
    discussion_locked: row.discussion_locked ?? false,
    issue_type: row.type,
    web_url: `${base}/${path}/-/issues/${row.iid}`,
    time_stats: timeStatsJson(row),
    task_completion_status: { count: tasks.count, completed_count: tasks.completed_count },
    weight: row.weight,
    blocking_issues_count: counts.blocking,
    has_tasks: tasks.count > 0,
    task_status: taskText(tasks),
    _links: {
      self,
      notes: `${self}/notes`,
      award_emoji: `${self}/award_emoji`,
      project: api,
      closed_as_duplicate_of:
        loaded.duplicateOf &&
        `${base}/api/v4/projects/${loaded.duplicateOf.project_id}/issues/${loaded.duplicateOf.iid}`,
    },
    reference: short(row),
    references: {
      short: short(row),
      relative: `${pathFrom(loaded.project, from)}${short(row)}`,
      full: `${path}${short(row)}`,
    },
    severity: row.severity.toUpperCase(),
    moved_to_id: row.moved_to_id,
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
    service_desk_reply_to: null,
    epic_iid: loaded.epic?.iid ?? null,
    epic: loaded.epic && epicJson(loaded.epic),
    iteration: iterationOf(loaded.iteration, base),
    health_status: row.health_status,
  };
}

/** The same for a list, with details of labels where they were asked for. */
export const listedIssueJson = (
  loaded: LoadedIssue,
  base: string,
  from: SeenFrom,
  labelDetails: boolean,
): ListedIssueJson => ({
  ...issueJson(loaded, base, from),
  ...(labelDetails ? { labels: loaded.labels.map(labelBasicJson) } : {}),
});
