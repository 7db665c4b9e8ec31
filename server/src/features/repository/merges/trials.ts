/** Merges that are only tried: whether they fit, and what is in their way. */
import { isUtf8 } from 'node:buffer';
import * as git from '@millrace/git';
import type { ConflictText, RepositoryAccess } from '../face.ts';
import { asHttpError, knownSha, type OpenRepository, translated } from '../reading/git-reader.ts';

/** A regular file as text; null where it is none, too large, or has bytes that no text has. */
async function textOf(
  repo: git.Repo,
  side: { readonly id: git.Sha; readonly mode: string } | null,
  maximumBytes: number,
): Promise<string | null> {
  if (side === null || !side.mode.startsWith('100')) return null;
  if (((await git.readHeader(repo, side.id))?.size ?? 0) > maximumBytes) return null;
  const blob = await git.readBlob(repo, side.id);
  if (!blob || !isUtf8(blob.data) || blob.data.includes(0)) return null;
  return blob.data.toString('utf8');
}

export const mergeTrials = (
  open: OpenRepository,
): Pick<RepositoryAccess, 'tryMerge' | 'conflicts' | 'conflictTexts'> => ({
  async tryMerge(project, ours, theirs, base = null) {
    const quarantine = await git.createQuarantine(open(project));
    try {
      const options = base === null ? {} : { base: knownSha(base) };
      const result = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs), options);
      return { tree: result.clean ? result.treeId : null, conflicts: result.conflictPaths };
    } catch (error) {
      throw asHttpError(error);
    } finally {
      await git.discardQuarantine(quarantine);
    }
  },
  async conflictTexts(project, ours, theirs, maximumBytes) {
    const found = await translated(git.mergeConflicts(open(project), knownSha(ours), knownSha(theirs)));
    if (found.length === 0) return [];
    const quarantine = await git.createQuarantine(open(project));
    try {
      const { treeId } = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs));
      const texts: ConflictText[] = [];
      for (const each of found) {
        const path = (each.ours ?? each.theirs ?? each.base)?.path ?? each.paths[0] ?? '';
        const merged = await git.lookupPath(quarantine.repo, treeId, path);
        const text = (side: { id: git.Sha; mode: string } | null) => textOf(quarantine.repo, side, maximumBytes);
        texts.push({
          ...{ path, kind: each.kind, message: each.message },
          content: each.ours && each.theirs ? await text(merged) : null,
          ...{ ours: await text(each.ours), theirs: await text(each.theirs) },
        });
      }
      return texts;
    } catch (error) {
      throw asHttpError(error);
    } finally {
      await git.discardQuarantine(quarantine);
    }
  },
  conflicts: (project, ours, theirs) => translated(git.mergeConflicts(open(project), knownSha(ours), knownSha(theirs))),
});
