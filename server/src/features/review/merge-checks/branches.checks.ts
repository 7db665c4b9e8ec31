/** Checks of the two branches: whether they exist, and whether one can be merged into the other. */
import { unprocessable } from '../../../kernel/http/errors.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import { type FactSource, type MergeCheck, refusedAs } from './merge-check.ts';

export const branchesExist: MergeCheck = {
  awaitable: false,
  refusal: ({ heads }) => (heads === null ? refusedAs('broken_status') : null),
};

export const hasNoConflicts: MergeCheck = {
  awaitable: true,
  async refusal({ heads, trial }) {
    const outcome = heads && (await trial(heads));
    return outcome?.hasConflicts ? { status: 'conflict', error: unprocessable('Branch cannot be merged') } : null;
  },
};

export const hasCommits: MergeCheck = {
  awaitable: false,
  async refusal({ heads, trial }) {
    const outcome = heads && (await trial(heads));
    return outcome?.empty ? refusedAs('broken_status') : null;
  },
};

export type Divergence = Awaited<ReturnType<RepositoryAccess['divergence']>>;

/** Commits that only one of the two branches has. */
export const divergenceOf =
  (repository: Pick<RepositoryAccess, 'divergence'>): FactSource<Divergence> =>
  ({ subject }, { target, head }) =>
    repository.divergence(subject.project, target, head);

/** Where the project merges only what is based on the head of the target branch. */
export const isUpToDate = (divergence: FactSource<Pick<Divergence, 'behind'>>): MergeCheck => ({
  awaitable: true,
  byTrain: true,
  async refusal({ rules, heads, get }) {
    if (rules.merge_method === 'merge' || heads === null) return null;
    return (await get(divergence, heads)).behind === 0 ? null : refusedAs('need_rebase');
  },
});
