/** Parameters of merge requests that are many, or of several routes. */
import { Bool, DateTimeParam, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';

export const people = {
  assignee_id: Optional(Int({ description: 'One assignee; 0 removes all' })),
  assignee_ids: Optional(List(Int(), { commas: true, description: 'Assignees; empty removes all' })),
  reviewer_ids: Optional(List(Int(), { commas: true, description: 'Reviewers; empty removes all' })),
};

/** What a list of merge requests is narrowed and ordered by. */
export const filters = {
  state: Optional(
    OneOf(['opened', 'closed', 'merged', 'locked', 'all'], {
      default: 'all',
      description: 'Only those in this state',
    }),
  ),
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
  assignee_id: Optional(Int({ description: 'Only those assigned to this user' })),
  reviewer_id: Optional(Int({ description: 'Only those that this user is asked to review' })),
  search: Optional(Str({ maxLength: 255, description: 'Only those whose name or description contains this text' })),
  in: Optional(List(OneOf(['title', 'description']), { commas: true, description: 'Where `search` looks' })),
  wip: Optional(OneOf(['yes', 'no'], { deprecated: true, description: 'Use `draft`' })),
  draft: Optional(Bool({ description: 'Only drafts, or only those that are none' })),
  created_after: Optional(DateTimeParam({ description: 'Only those created at or after this time' })),
  created_before: Optional(DateTimeParam({ description: 'Only those created at or before this time' })),
  updated_after: Optional(DateTimeParam({ description: 'Only those changed at or after this time' })),
  updated_before: Optional(DateTimeParam({ description: 'Only those changed at or before this time' })),
  order_by: Optional(
    OneOf(['created_at', 'updated_at', 'merged_at', 'title'], {
      default: 'created_at',
      description: 'What the list is ordered by',
    }),
  ),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
  view: Optional(OneOf(['simple'], { description: '`simple` gives fewer fields' })),
  with_merge_status_recheck: Optional(Bool({ description: 'Check anew whether each can be merged' })),
};
