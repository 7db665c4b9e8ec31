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

interface Sides {
  readonly ours: string;
  readonly theirs: string;
}

/** Conflict markers with the ids of the commits that people know. */
function named(text: string | null, names: Sides, known: Sides): string | null {
  if (text === null || names.ours === known.ours) return text;
  return text
    .replaceAll(`<<<<<<< ${names.ours}`, `<<<<<<< ${known.ours}`)
    .replaceAll(`>>>>>>> ${names.theirs}`, `>>>>>>> ${known.theirs}`);
}

export const mergeTrials = (
  open: OpenRepository,
): Pick<RepositoryAccess, 'tryMerge' | 'conflicts' | 'conflictTexts'> => ({
  async tryMerge(project, ours, theirs, base = null) {
    const repo = open(project);
    const options = base === null ? {} : { base: knownSha(base) };
    const [left, right] = [knownSha(ours), knownSha(theirs)];
    if (await translated(git.surelyMerges(repo, left, right, options))) return true;
    const quarantine = await git.createQuarantine(repo);
    try {
      return (await git.mergeTree(quarantine, left, right, options)).clean;
    } catch (error) {
      throw asHttpError(error);
    } finally {
      await git.discardQuarantine(quarantine);
    }
  },
  async conflictTexts(project, ours, theirs, maximumBytes, below = null) {
    const base = below === null ? undefined : knownSha(below);
    const found = await translated(git.mergeConflicts(open(project), knownSha(ours), knownSha(theirs), base));
    if (found.length === 0) return [];
    const quarantine = await git.createQuarantine(open(project));
    try {
      const { treeId, names } = await git.mergeTree(quarantine, knownSha(ours), knownSha(theirs), { base });
      const texts: ConflictText[] = [];
      for (const each of found) {
        const path = (each.ours ?? each.theirs ?? each.base)?.path ?? each.paths[0] ?? '';
        const merged = await git.lookupPath(quarantine.repo, treeId, path);
        const text = (side: { id: git.Sha; mode: string } | null) => textOf(quarantine.repo, side, maximumBytes);
        texts.push({
          ...{ path, kind: each.kind, message: each.message },
          content: each.ours && each.theirs ? named(await text(merged), names, { ours, theirs }) : null,
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
  conflicts: (project, ours, theirs, base = null) =>
    translated(
      git.mergeConflicts(open(project), knownSha(ours), knownSha(theirs), base === null ? undefined : knownSha(base)),
    ),
});
