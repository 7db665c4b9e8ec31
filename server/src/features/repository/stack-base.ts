/**
 * What a merge request is compared with. After the request below it in a stack was squashed, its branch still has the
 * commits of that one, which the target branch has in another form: then it is the head of the one below, else the merge base.
 */
import type { MergeRequest } from '../../kernel/db/rows.ts';
import type { RepositoryAccess } from './face.ts';

export type Ancestry = Pick<RepositoryAccess, 'isAncestor' | 'mergeBase'>;
type RepositoryRow = Parameters<RepositoryAccess['mergeBase']>[0];
type Stacked = Pick<MergeRequest, 'stack_base_sha'>;
interface Tips {
  readonly target: string;
  readonly head: string;
}

/** The head of the request below, where that takes the place of the merge base; null otherwise. */
export async function stackBase(
  repository: Ancestry,
  project: RepositoryRow,
  { stack_base_sha: below }: Stacked,
  { target, head }: Tips,
): Promise<string | null> {
  if (below === null) return null;
  const base = await repository.mergeBase(project, target, head);
  if (base === null || base === below) return null;
  // The branch was rebased, or the target branch was merged into it.
  if (!(await repository.isAncestor(project, below, head)) || !(await repository.isAncestor(project, base, below)))
    return null;
  return below;
}

export const baseOf = async (
  repository: Ancestry,
  project: RepositoryRow,
  row: Stacked,
  { target, head }: Tips,
): Promise<string> =>
  (await stackBase(repository, project, row, { target, head })) ??
  (await repository.mergeBase(project, target, head)) ??
  target;
