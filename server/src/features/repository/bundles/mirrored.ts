/** Branches and tags that follow another repository: fetched objects are checked like a push, the refs move in the one write path. */
import * as git from '@millrace/git';
import type { ProjectRepositories } from '../../namespaces/index.ts';
import { type LfsPointer, longestPointer, readPointer } from '../lfs/pointers.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';

const followed = /^refs\/(heads|tags)\//;

export function mirroredRefs(deps: {
  readonly open: OpenRepository;
  readonly writes: Pick<WritePath, 'exclusively' | 'apply'>;
}): ProjectRepositories['mirrored'] {
  return async ({ subject, caller }, { changes, pack }, { maxBytes, signal, pushOptions, choose, large }) => {
    const { project } = subject;
    const reasons = new Map<string, string>();
    const allowed = changes.filter(({ ref, after }) => {
      const fits = followed.test(ref) && git.isCreatableRef(ref) && git.isSha(after);
      if (!fits) reasons.set(ref, 'The name is not allowed here.');
      return fits;
    });
    const quarantine = await git.createQuarantine(git.withSignal(deps.open(project), signal));
    let used = false;
    try {
      const ingested = pack === null ? undefined : await git.ingestPack(quarantine, pack, { maxBytes });
      const moves = await choose(
        allowed,
        async (ancestor, descendant) =>
          git.isSha(ancestor) && git.isSha(descendant) && (await git.isAncestor(quarantine.repo, ancestor, descendant)),
      );
      if (moves.length === 0) return reasons;
      const ids = moves.flatMap(({ after }) => (git.isSha(after) ? [after] : []));
      await git.checkConnectivity(quarantine, ids, ingested);
      const pointers = new Map<string, LfsPointer>();
      if (project.lfs_enabled)
        for await (const { data } of git.quarantinedBlobs(quarantine, longestPointer)) {
          const pointer = readPointer(data);
          if (pointer) pointers.set(pointer.oid, pointer);
        }
      await large(pointers);
      const outcomes = await deps.writes.exclusively(project, () => {
        used = true;
        const how = { kind: 'push', atomic: false, authorised: true, mirrored: true, author: null } as const;
        return deps.writes.apply({ quarantine, changes: moves }, { subject, caller, pushOptions, ...how });
      });
      for (const { ref, reason } of outcomes) if (reason !== null) reasons.set(ref, reason);
      return reasons;
    } finally {
      if (!used) await git.discardQuarantine(quarantine);
    }
  };
}
