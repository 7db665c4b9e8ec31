/** Checks of the request itself: its state and its title. */
import { RE2JS } from 're2js';
import { isEarly } from '../merge-requests/merge-after.ts';
import { isDraft } from '../merge-requests/merge-requests.entity.ts';
import { type MergeCheck, refusedAs } from './merge-check.ts';

export const isOpen: MergeCheck = {
  awaitable: false,
  refusal: ({ row }) => (row.state === 'opened' ? null : refusedAs('not_open')),
};

export const isNotDraft: MergeCheck = {
  awaitable: false,
  refusal: ({ row }) => (isDraft(row.title) ? refusedAs('draft_status') : null),
};

/** Whether a title is one that the project takes. A pattern that cannot be read takes none. */
function titleAllowed(title: string, pattern: string | null): boolean {
  if (pattern === null || pattern === '') return true;
  try {
    return RE2JS.compile(pattern).matcher(title).find();
  } catch {
    return false;
  }
}

export const titleMatches: MergeCheck = {
  awaitable: true,
  refusal: ({ row, rules }) =>
    titleAllowed(row.title, rules.merge_request_title_regex) ? null : refusedAs('title_regex'),
};

export const isTimeToMerge: MergeCheck = {
  awaitable: true,
  refusal: ({ row }) => (isEarly(row) ? refusedAs('merge_time') : null),
};
