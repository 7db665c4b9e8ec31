/** Removes backups that are no longer kept, and the files that no backup names. */
import { entriesOf } from './catalog.ts';
import type { Destination } from './destination.ts';
import { plain } from './manifest.ts';

/** Removes the manifests of some backups, then every file that the others do not need. Answers how many files went. */
export async function removeBackups(
  destination: Destination,
  doomed: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  for (const name of doomed) await destination.removeManifest(name);
  const needed = new Set<string>();
  // A manifest that cannot be read may need anything: then nothing is removed.
  for (const name of await destination.names()) {
    const head = await destination.head(name);
    needed.add(head.references.key);
    for await (const key of entriesOf<string>(destination.read(head.references, 'references', plain))) needed.add(key);
  }
  let removed = 0;
  for await (const { key } of destination.files()) {
    signal.throwIfAborted();
    if (needed.has(key)) continue;
    await destination.removeFile(key);
    removed += 1;
  }
  return removed;
}

/** The names that are too many, oldest first. */
export const exceeding = (names: readonly string[], keep: number): readonly string[] =>
  names.slice(0, Math.max(0, names.length - keep));
