/** History of one project brought into another of its network of forks, with the large files that it names. */
import * as git from '@millrace/git';
import type { RepositoryRow } from '../face.ts';
import { longestPointer, readPointer } from '../lfs/pointers.ts';
import { asHttpError, knownSha, type OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';

export interface CarryingDependencies {
  readonly open: OpenRepository;
  readonly exclusively: WritePath['exclusively'];
  /** Gives a project the objects of another that are named. */
  readonly shareLfs: (source: RepositoryRow, target: RepositoryRow, oids: readonly string[]) => Promise<void>;
}

/**
 * Brings a commit with everything before it from one repository into another. Nothing points at it yet: whoever asks for
 * it makes a ref at once. Throws 404 when the source does not have the commit.
 */
export function carrying({ open, exclusively, shareLfs }: CarryingDependencies) {
  async function pointers(quarantine: git.Quarantine): Promise<string[]> {
    const oids = new Set<string>();
    for await (const { data } of git.quarantinedBlobs(quarantine, longestPointer)) {
      const pointer = readPointer(data);
      if (pointer) oids.add(pointer.oid);
    }
    return [...oids];
  }

  return async (target: RepositoryRow, source: RepositoryRow, sha: string): Promise<void> => {
    const id = knownSha(sha);
    const quarantine = await git.createQuarantine(open(target));
    let used = false;
    try {
      await git.carryCommit(quarantine, open(source), id);
      await git.checkConnectivity(quarantine, [id]);
      await shareLfs(source, target, await pointers(quarantine));
      await exclusively(target, async () => {
        if (await git.prunedSince(quarantine)) await git.checkConnectivity(quarantine, [id]);
        used = true;
        await git.migrateQuarantine(quarantine);
      });
    } catch (error) {
      throw asHttpError(error);
    } finally {
      if (!used) await git.discardQuarantine(quarantine);
    }
  };
}
