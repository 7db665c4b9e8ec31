/** The rule that all threads of a merge request are resolved. */
import type { Db } from '../../../kernel/db/index.ts';
import { unresolvedThreads } from '../../collaboration/notes/index.ts';
import { type FactSource, type MergeCheck, refusedAs } from './merge-check.ts';

export const allThreadsResolved =
  (db: Db): FactSource<boolean> =>
  async ({ row }) =>
    (await unresolvedThreads(db, 'merge_request', [row.id])).size === 0;

export const threadsResolved = (resolved: FactSource<boolean>): MergeCheck => ({
  awaitable: true,
  async refusal({ rules, heads, get }) {
    if (!rules.only_allow_merge_if_all_discussions_are_resolved || heads === null) return null;
    return (await get(resolved, heads)) ? null : refusedAs('discussions_not_resolved');
  },
});
