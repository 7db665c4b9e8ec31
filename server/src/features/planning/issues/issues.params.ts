/** Parameters of issues: what lists are narrowed and ordered by, and what an issue is made of. */
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { filled } from '../../../kernel/http/params/filled.ts';
import { atLeastOneOf, mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateParam,
  DateTimeParam,
  IdOrPath,
  Int,
  Int32,
  List,
  OneOf,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { LabelTitles, TaskParam } from '../../collaboration/index.ts';
import type { IssueFilter, Negatable } from './filter.queries.ts';
import { healthStatuses, issueTypes, severities } from './issues.entity.ts';
import { type IssueOrder, issueOrders } from './listing.queries.ts';

const name = (description: string) => Str({ maxLength: 255, description });

/** An id, or a word for none or any. */
const idOrWord = (description: string, more = '') =>
  Str({ pattern: `^(-?\\d{1,15}|[Nn]one|NONE|[Aa]ny|ANY${more})?$`, description });
const numberOrWord = (description: string) => Str({ pattern: '^(-?\\d{1,9}|[Nn]one|NONE|[Aa]ny|ANY)?$', description });

const negatable = {
  assignee_id: Optional(idOrWord('Assigned to this user; `None` for nobody, `Any` for anybody')),
  assignee_username: Optional(
    List(name('Username'), { commas: true, maxItems: 32, description: 'Assigned to all of these usernames' }),
  ),
  author_id: Optional(Int({ description: 'Of this author' })),
  author_username: Optional(name('Of the author with this username')),
  iids: Optional(
    List(Int(), { commas: true, maxItems: 1000, description: 'With these numbers within their projects' }),
  ),
  iteration_id: Optional(idOrWord('Of this iteration; `None`, `Any`, or `Current`', '|[Cc]urrent')),
  iteration_title: Optional(name('Of the iterations with this title')),
  labels: Optional(LabelTitles('With all of these labels; `None` for those without, `Any` for those with any')),
  milestone: Optional(name('Of the milestones with this title; `None`, `Any`')),
  milestone_id: Optional(
    OneOf(['None', 'Any', 'Upcoming', 'Started'], {
      description: 'Without or with a milestone, or of open ones that are due later or have begun',
    }),
  ),
  my_reaction_emoji: Optional(name('That the caller reacted to with this emoji; `None`, `Any`')),
  weight: Optional(numberOrWord('Of this weight; `None`, `Any`')),
};
const exclusive = rules(
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('milestone', 'milestone_id'),
  mutuallyExclusive('iteration_id', 'iteration_title'),
);

const narrowed = {
  ...negatable,
  confidential: Optional(Bool({ description: 'Only confidential ones, or only the others' })),
  created_after: Optional(DateTimeParam({ description: 'Created at or after this time' })),
  created_before: Optional(DateTimeParam({ description: 'Created at or before this time' })),
  due_date: Optional(
    OneOf(['0', 'any', 'today', 'tomorrow', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks', ''], {
      description: 'Due then; `0` for those that have no day',
    }),
  ),
  epic_id: Optional(numberOrWord('Of this epic; `None`, `Any`')),
  health_status: Optional(
    OneOf([...healthStatuses, 'None', 'Any'], { description: 'Of this health status; `None`, `Any`' }),
  ),
  in: Optional(
    List(OneOf(['title', 'description']), { commas: true, description: 'Where `search` looks; in both by default' }),
  ),
  issue_type: Optional(OneOf(issueTypes, { description: 'Of this type' })),
  not: Optional(
    Type.Object(
      {
        ...negatable,
        epic_id: Optional(numberOrWord('Of this epic')),
        health_status: Optional(OneOf(healthStatuses, { description: 'Of this health status' })),
        issue_type: Optional(OneOf(issueTypes, { description: 'Of this type' })),
      },
      { description: 'Filters of which none may hold', ...exclusive },
    ),
  ),
  search: Optional(Str({ maxLength: 1000, description: 'With all of these words' })),
  updated_after: Optional(DateTimeParam({ description: 'Changed at or after this time' })),
  updated_before: Optional(DateTimeParam({ description: 'Changed at or before this time' })),
};

const scopes = ['created_by_me', 'assigned_to_me', 'all', 'created-by-me', 'assigned-to-me'] as const;
type Scope = 'created_by_me' | 'assigned_to_me' | 'all';

/** What every list and its statistics are narrowed by; `scope` is the default one. */
export const issueFilters = (scope: Scope) => ({
  ...narrowed,
  scope: Optional(OneOf(scopes, { default: scope, description: 'In this relation to the caller' })),
});

export const listed = {
  state: Optional(OneOf(['opened', 'closed', 'all'], { default: 'all', description: 'In this state' })),
  order_by: Optional(OneOf(issueOrders, { default: 'created_at', description: 'What the list is ordered by' })),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
  with_labels_details: Optional(Bool({ default: false, description: 'Labels with colour and description' })),
};
export const nonArchived = {
  non_archived: Optional(Bool({ default: true, description: 'Leave those of archived projects out' })),
};
export { exclusive };

const given = Type.Object({ ...issueFilters('all'), ...listed });
export type GivenFilters = Static<typeof given>;

function negatableOf(params: NonNullable<GivenFilters['not']> | GivenFilters): Negatable {
  return {
    assigneeId: params.assignee_id,
    assigneeUsernames: params.assignee_username,
    authorId: params.author_id,
    authorUsername: params.author_username,
    iids: params.iids,
    iterationId: params.iteration_id,
    iterationTitle: params.iteration_title,
    labels: params.labels,
    milestone: params.milestone,
    milestoneId: params.milestone_id,
    myReactionEmoji: params.my_reaction_emoji,
    weight: params.weight,
    epicId: params.epic_id,
    healthStatus: params.health_status,
    issueType: params.issue_type,
  };
}

/** The filter that parameters ask for. What is in a relation to the caller is for signed-in people. */
export function filterOf(caller: Caller, asked: Partial<GivenFilters>): IssueFilter {
  const params = filled(asked);
  const scope = params.scope?.replaceAll('-', '_') as Scope | undefined;
  const me = caller.user?.id;
  if (scope !== undefined && scope !== 'all' && me === undefined) throw unauthorized();
  return {
    ...negatableOf(params),
    state: params.state === 'all' ? undefined : params.state,
    confidential: params.confidential,
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
    dueDate: params.due_date,
    search: params.search,
    searchIn: params.in,
    not: params.not && negatableOf(filled(params.not)),
    createdBy: scope === 'created_by_me' ? me : undefined,
    assignedTo: scope === 'assigned_to_me' ? me : undefined,
  };
}

export const orderOf = (params: { order_by?: IssueOrder; sort?: 'asc' | 'desc' }) => ({
  orderBy: params.order_by ?? ('created_at' as const),
  sort: params.sort ?? ('desc' as const),
});

export const projectParam = { id: IdOrPath('Id or path of the project') };
export const groupParam = { id: IdOrPath('Id or path of the group') };
export const one = { ...projectParam, issue_iid: Int({ description: 'Number of the issue within the project' }) };

const none = 'empty or 0 removes it';
/** What an issue is made of, and what may be changed of it. */
export const written = {
  description: Optional(OrNull(Str({ maxLength: 1_048_576, description: 'Text of the issue, in Markdown' }))),
  assignee_id: Optional(OrNull(Int({ deprecated: true, description: 'Use `assignee_ids`; 0 removes all' }))),
  assignee_ids: Optional(
    OrNull(List(Int(), { commas: true, maxItems: 200, description: 'Assignees; 0 or empty removes all' })),
  ),
  milestone_id: Optional(OrNull(Int({ description: `Milestone of the project or a group above; ${none}` }))),
  labels: Optional(OrNull(LabelTitles('Titles of labels; empty removes all. Those that are missing are made'))),
  add_labels: Optional(OrNull(LabelTitles('Titles of labels that it gets besides'))),
  remove_labels: Optional(OrNull(LabelTitles('Titles of labels that are taken away'))),
  start_date: Optional(OrNull(DateParam({ description: 'The day on which it begins' }))),
  due_date: Optional(OrNull(DateParam({ description: 'The day by which it is due' }))),
  confidential: Optional(
    Bool({ description: 'Whether only members from planners on, its author and assignees see it' }),
  ),
  discussion_locked: Optional(OrNull(Bool({ description: 'Whether only members may comment' }))),
  issue_type: Optional(OneOf(issueTypes, { description: 'Type of the issue' })),
  weight: Optional(OrNull(Int32({ minimum: 0, description: 'Weight, from 0' }))),
  epic_id: Optional(
    OrNull(Int({ description: `Epic of a group above, or of one whose members you are among; ${none}` })),
  ),
  epic_iid: Optional(OrNull(Int({ deprecated: true, description: 'Use `epic_id`; number of an epic of the group' }))),
  iteration_id: Optional(OrNull(Int({ description: `Iteration of a group above; ${none}` }))),
  health_status: Optional(OrNull(OneOf(healthStatuses, { description: 'How well it goes' }))),
  severity: Optional(OneOf(severities, { description: 'How bad an incident is' })),
};

export const changed = {
  title: Optional(Str({ description: 'Title of the issue' })),
  ...written,
  update_task: TaskParam,
  state_event: Optional(OneOf(['reopen', 'close'], { description: 'Close it or open it again' })),
  updated_at: Optional(
    DateTimeParam({ description: 'Time of the change; for administrators and owners, passed over for others' }),
  ),
};
export const changedRules = rules(
  mutuallyExclusive('epic_id', 'epic_iid'),
  mutuallyExclusive('description', 'update_task'),
  atLeastOneOf(
    ...['assignee_id', 'assignee_ids', 'confidential', 'description', 'discussion_locked', 'due_date', 'labels'],
    ...['add_labels', 'remove_labels', 'milestone_id', 'state_event', 'title', 'issue_type'],
    ...['weight', 'epic_id', 'epic_iid', 'iteration_id', 'start_date', 'health_status', 'severity', 'updated_at'],
    'update_task',
  ),
);
export const writtenRules = rules(mutuallyExclusive('epic_id', 'epic_iid'));
