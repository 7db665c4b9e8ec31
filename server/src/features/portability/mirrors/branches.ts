/** Which branches a mirror has. */
import type { Db } from '../../../kernel/db/index.ts';
import type { PushMirror } from '../../../kernel/db/rows.ts';
import { linearPattern, matchesPattern } from '../../repository/index.ts';
import { protectedPatterns } from './branches.queries.ts';

export async function mirroredBranches(
  db: Db,
  mirror: Pick<PushMirror, 'project_id' | 'only_protected_branches' | 'mirror_branch_regex'>,
): Promise<(branch: string) => boolean> {
  if (mirror.only_protected_branches) {
    const patterns = await protectedPatterns(db, mirror.project_id);
    return (branch) => patterns.some((pattern) => matchesPattern(pattern, branch));
  }
  if (mirror.mirror_branch_regex === null) return () => true;
  // It was checked when it was saved: one that cannot be read any more mirrors nothing.
  return linearPattern(mirror.mirror_branch_regex) ?? (() => false);
}
