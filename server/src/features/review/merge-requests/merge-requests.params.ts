/** Parameters of merge requests that are many, or of several routes. */
import Type from 'typebox';
import { mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import {
  Bool,
  DateTimeParam,
  Int,
  List,
  OneOf,
  Optional,
  OrNull,
  rules,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { LabelTitles } from '../../collaboration/index.ts';

export const people = {
  assignee_id: Optional(Int({ description: 'One assignee; 0 removes all' })),
  assignee_ids: Optional(List(Int(), { commas: true, description: 'Assignees; empty removes all' })),
  reviewer_ids: Optional(List(Int(), { commas: true, description: 'Reviewers; empty removes all' })),
};

/** When it may be merged. */
export const merge_after = Optional(
  OrNull(DateTimeParam({ description: 'Time before which it is not merged; null for none' })),
);

/** Approvals that it needs at least; never fewer than its project asks for. */
export const approvals_before_merge = Optional(
  Int({
    minimum: 0,
    maximum: 100,
    description:
      'Approvals that are required; at least as many as the project requires. Deprecated: use approval rules',
  }),
);

/** Labels and milestone of a request. */
export const planned = {
  labels: Optional(OrNull(LabelTitles('Titles of labels; empty removes all. Those that are missing are made'))),
  milestone_id: Optional(OrNull(Int({ description: 'Milestone of the project or a group above; 0 for none' }))),
};
export const relabelled = {
  add_labels: Optional(LabelTitles('Titles of labels that it gets besides')),
  remove_labels: Optional(LabelTitles('Titles of labels that are taken away')),
};

/** An id, or a word for nobody or anybody. */
const person = (description: string) => Str({ pattern: '^([1-9]\\d{0,14}|[Nn]one|[Aa]ny)$', description });

const negatable = {
  labels: Optional(
    LabelTitles('Only those with all of these labels; `None` for those without, `Any` for those with any'),
  ),
  milestone: Optional(Str({ description: 'Only those of the milestone with this title; `None`, `Any`' })),
};

/** What a list can be ordered by. */
const orders = [
  ...(['created_at', 'updated_at', 'merged_at', 'title', 'popularity'] as const),
  ...(['milestone_due', 'label_priority', 'priority'] as const),
] as const;

/** Two names of the same filter; at most one of them may be given. */
export const exclusiveFilters = rules(
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('reviewer_id', 'reviewer_username'),
  mutuallyExclusive('merge_user_id', 'merge_user_username'),
);

/** What a list of merge requests is narrowed by, besides its state. */
export const narrowing = {
  scope: Optional(
    OneOf(['created_by_me', 'assigned_to_me', 'reviews_for_me', 'all', 'created-by-me', 'assigned-to-me'], {
      description: 'Only those in this relation to the caller',
    }),
  ),
  iids: Optional(List(Int(), { commas: true, description: 'Only those with these internal ids' })),
  source_branch: Optional(Str({ description: 'Branch with the changes' })),
  target_branch: Optional(Str({ description: 'Branch that the changes go to' })),
  author_id: Optional(Int({ description: 'Only those of this author' })),
  author_username: Optional(Str({ description: 'Only those of the author with this username' })),
  assignee_id: Optional(person('Only those assigned to this user; `None` for those to nobody, `Any` to anybody')),
  assignee_username: Optional(
    List(Str({ maxLength: 255 }), {
      commas: true,
      maxItems: 32,
      description: 'Only those assigned to all of these usernames',
    }),
  ),
  reviewer_id: Optional(person('Only those that this user is asked to review; `None` for nobody, `Any` for anybody')),
  reviewer_username: Optional(
    Str({
      maxLength: 255,
      description: 'Only those that the person with this username is asked to review; `None`, `Any`',
    }),
  ),
  approver_ids: Optional(
    List(person('User id, `None` or `Any`'), {
      commas: true,
      maxItems: 32,
      description: 'Only those whose approval rules name all of these users; `None` for nobody, `Any` for anybody',
    }),
  ),
  approved_by_ids: Optional(
    List(person('User id, `None` or `Any`'), {
      commas: true,
      maxItems: 32,
      description: 'Only those that all of these users have approved; `None` for nobody, `Any` for anybody',
    }),
  ),
  approved_by_usernames: Optional(
    List(Str({ maxLength: 255 }), {
      commas: true,
      maxItems: 32,
      description: 'Only those that the users with all of these usernames have approved',
    }),
  ),
  merge_user_id: Optional(Int({ description: 'Only those that this user has merged, or set to auto-merge' })),
  merge_user_username: Optional(
    Str({
      maxLength: 255,
      description: 'Only those that the person with this username has merged, or set to auto-merge',
    }),
  ),
  my_reaction_emoji: Optional(
    Str({ maxLength: 255, description: 'Only those with this reaction of the caller; `None`, `Any`' }),
  ),
  approved: Optional(OneOf(['yes', 'no'], { description: 'Only those that somebody has approved, or nobody' })),
  source_project_id: Optional(Int({ description: 'Only those with branches of this project' })),
  ...negatable,
  not: Optional(
    Type.Object(
      {
        labels: Optional(LabelTitles('Not those with any of these labels')),
        milestone: Optional(Str({ description: 'Not those of the milestone with this title' })),
        author_id: Optional(Int({ description: 'Not those of this author' })),
        author_username: Optional(Str({ maxLength: 255, description: 'Not those of the author with this username' })),
        assignee_id: Optional(Int({ description: 'Not those assigned to this user' })),
        assignee_username: Optional(
          List(Str({ maxLength: 255 }), {
            commas: true,
            maxItems: 32,
            description: 'Not those assigned to any of these usernames',
          }),
        ),
        reviewer_id: Optional(Int({ description: 'Not those that this user is asked to review' })),
        reviewer_username: Optional(
          Str({ maxLength: 255, description: 'Not those that the person with this username is asked to review' }),
        ),
        my_reaction_emoji: Optional(Str({ maxLength: 255, description: 'Not those with this reaction of the caller' })),
        source_branch: Optional(Str({ description: 'Not those from this branch' })),
        target_branch: Optional(Str({ description: 'Not those into this branch' })),
      },
      { description: 'What they must not have' },
    ),
  ),
  search: Optional(Str({ maxLength: 255, description: 'Only those whose name or description contains this text' })),
  in: Optional(List(OneOf(['title', 'description']), { commas: true, description: 'Where `search` looks' })),
  wip: Optional(OneOf(['yes', 'no'], { deprecated: true, description: 'Use `draft`' })),
  draft: Optional(Bool({ description: 'Only drafts, or only those that are none' })),
  created_after: Optional(DateTimeParam({ description: 'Only those created at or after this time' })),
  created_before: Optional(DateTimeParam({ description: 'Only those created at or before this time' })),
  updated_after: Optional(DateTimeParam({ description: 'Only those changed at or after this time' })),
  updated_before: Optional(DateTimeParam({ description: 'Only those changed at or before this time' })),
  deployed_after: Optional(DateTimeParam({ description: 'Only those deployed after this time' })),
  deployed_before: Optional(DateTimeParam({ description: 'Only those deployed before this time' })),
  environment: Optional(Str({ maxLength: 255, description: 'Only those deployed to the environment with this name' })),
};

/** What a list of merge requests is narrowed and ordered by. */
export const filters = {
  state: Optional(
    OneOf(['opened', 'closed', 'merged', 'locked', 'all'], {
      default: 'all',
      description: 'Only those in this state',
    }),
  ),
  ...narrowing,
  view: Optional(
    OneOf(['simple'], {
      description: '`simple` answers no more than numbers, name, description, state, times and address',
    }),
  ),
  with_labels_details: Optional(Bool({ default: false, description: 'Labels with colour and description' })),
  order_by: Optional(
    OneOf(orders, {
      default: 'created_at',
      description:
        'What the list is ordered by; `priority` is the due date of the milestone, then the priority of labels',
    }),
  ),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
};
