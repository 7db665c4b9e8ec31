/** What a push does to comments on lines: they follow their lines, or are outdated where these are gone. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { movePositions, type NotePosition, placedNotes } from '../../collaboration/notes/index.ts';
import type { FilePatch, RepositoryAccess } from '../../repository/index.ts';
import { type PatchReader, type Refs, traced } from './tracing.ts';

interface Dependencies {
  readonly db: Db;
  readonly repository: Pick<RepositoryAccess, 'filePatch' | 'resolve'>;
}

/** Looks at the repository first; what it answers changes rows in the transaction that moves the head. */
export async function threadsAfterPush(
  { db, repository }: Dependencies,
  project: Project,
  request: Pick<MergeRequest, 'id'>,
  refs: Refs,
): Promise<(tx: Db) => Promise<void>> {
  const notes = await placedNotes(db, 'merge_request', request.id);
  if (notes.length === 0) return async () => {};
  const patches = new Map<string, Promise<FilePatch | null>>();
  const read: PatchReader = (from, to, path, side) => {
    const key = JSON.stringify([from, to, path, side]);
    const known = patches.get(key) ?? repository.filePatch(project, from, to, path, side);
    patches.set(key, known);
    return known;
  };
  const there = new Map<string, boolean>();
  const exists = async (sha: string) => {
    const known = there.get(sha) ?? (await repository.resolve(project, sha)) === sha;
    there.set(sha, known);
    return known;
  };
  const moves: NotePosition[] = [];
  for (const { id, position } of notes) {
    // Commits of versions long ago may be gone with everything that named them.
    const known = (await exists(position.base_sha)) && (await exists(position.head_sha));
    const now = known ? await traced(read, position, refs) : null;
    moves.push(now ? { id, position: now.position, lineCode: now.lineCode } : { id, position: null, lineCode: null });
  }
  return (tx) => movePositions(tx, moves);
}
