/** Merges that are only tried: whether they fit, and what is in their way. */
import * as git from '@millrace/git';
import type { RepositoryAccess } from '../face.ts';
import { asHttpError, knownSha, type OpenRepository, translated } from '../reading/git-reader.ts';

export const mergeTrials = (open: OpenRepository): Pick<RepositoryAccess, 'tryMerge' | 'conflicts'> => ({
  async tryMerge(project, ours, theirs) {
    const quarantine = await git.createQuarantine(open(project));
    try {
      const result = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs));
      return { tree: result.clean ? result.treeId : null, conflicts: result.conflictPaths };
    } catch (error) {
      throw asHttpError(error);
    } finally {
      await git.discardQuarantine(quarantine);
    }
  },
  conflicts: (project, ours, theirs) => translated(git.mergeConflicts(open(project), knownSha(ours), knownSha(theirs))),
});
