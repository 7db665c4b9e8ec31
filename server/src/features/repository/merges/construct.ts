/** Commits that no branch has: the merges that pipelines test before they happen. */
import * as git from '@millrace/git';
import type { Db } from '../../../kernel/db/index.ts';
import type { RepositoryAccess } from '../face.ts';
import { asHttpError, knownSha, type OpenRepository } from '../reading/git-reader.ts';
import { workbench } from '../writes/workbench.ts';
import type { WritePath } from '../writes/write-path.ts';
import { bumpServiceRefs } from '../writes/writes.queries.ts';

interface ConstructDependencies {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly exclusively: WritePath['exclusively'];
  /** What commits get that are made here; null for none. */
  readonly stamp: git.CommitStamp | null;
}

/**
 * The lock is held only while the objects are brought in and the ref is moved: from then on maintenance finds them, before
 * it the quarantine has them.
 */
export const constructing = ({
  db,
  open,
  exclusively,
  stamp,
}: ConstructDependencies): Pick<RepositoryAccess, 'construct'> => ({
  async construct(project, ref, make) {
    const quarantine = await git.createQuarantine(open(project), stamp);
    let used = false;
    try {
      const made = await make(workbench(quarantine));
      if (made === null) return null;
      const commit = knownSha(made.commit);
      await exclusively(project, async () => {
        if (await git.prunedSince(quarantine)) await git.checkConnectivity(quarantine, [commit]);
        used = true;
        await git.migrateQuarantine(quarantine);
        await git.updateRefs(open(project), [{ ref: ref as git.RefName, new: commit }]);
      });
      await bumpServiceRefs(db, project.id);
      return made;
    } catch (error) {
      throw asHttpError(error);
    } finally {
      if (!used) await git.discardQuarantine(quarantine);
    }
  },
});
