/** A repository with a commit of a relative beside its own, in a place that nobody else sees. */
import * as git from '@millrace/git';
import type { RepositoryRow } from '../face.ts';
import { asHttpError, knownSha, type OpenRepository } from '../reading/git-reader.ts';

/** What `use` reads is gone afterwards. */
export async function withCommitOf<T>(
  open: OpenRepository,
  project: RepositoryRow,
  relative: RepositoryRow,
  sha: string,
  use: (repo: git.Quarantine['repo']) => Promise<T>,
): Promise<T> {
  const quarantine = await git.createQuarantine(open(project));
  try {
    await git.carryCommit(quarantine, open(relative), knownSha(sha));
    return await use(quarantine.repo);
  } catch (error) {
    throw asHttpError(error);
  } finally {
    await git.discardQuarantine(quarantine);
  }
}
