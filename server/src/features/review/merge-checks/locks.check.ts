/** Files and folders that others have locked. */
import { plainError } from '../../../kernel/http/errors.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import type { FactSource, MergeCheck } from './merge-check.ts';

type Lock = Awaited<ReturnType<RepositoryAccess['lockInTheWay']>>;

/** A lock of what the merge changes. What its author and whoever merges have locked themselves does not count. */
export const lockInTheWay =
  (repository: Pick<RepositoryAccess, 'lockInTheWay'>): FactSource<Lock> =>
  async ({ subject, caller, row, hasLocks }, { target, head }) => {
    if (!hasLocks) return null;
    const people = [row.author_id, caller.user?.id].filter((id) => typeof id === 'number');
    return await repository.lockInTheWay(subject, row.target_branch, { from: target, to: head }, people);
  };

export const changesNothingLocked = (source: FactSource<Lock>): MergeCheck => ({
  awaitable: true,
  async refusal({ heads, get }) {
    const lock = heads && (await get(source, heads));
    return lock && { status: lock.lfs ? 'locked_lfs_files' : 'locked_paths', error: plainError(400, lock.reason) };
  },
});
