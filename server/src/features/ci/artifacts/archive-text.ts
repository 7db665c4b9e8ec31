/** One file of an archive of artifacts as text, for configurations that jobs make. */
import { text } from 'node:stream/consumers';
import type { JobArtifact } from '../../../kernel/db/rows.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { zipEntry } from './store.ts';

/** Null when the archive has no such file, or one that is larger. */
export async function readArchiveText(
  objects: ObjectStore,
  archive: Pick<JobArtifact, 'object_key'>,
  path: string,
  maxBytes: number,
): Promise<string | null> {
  const entry = await zipEntry({ objects }, archive.object_key, path);
  if (!entry || entry.size > maxBytes) return null;
  return await text(entry.stream);
}
