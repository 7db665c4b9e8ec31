/** The files of a directory that others change meanwhile. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isAbsent } from '../refs/files.ts';

/**
 * Paths of all that is no directory below one, in no order. A directory that is removed while its parent is read, as those
 * of references are, has no files: `readdir` with `recursive` would fail for all of them.
 */
export async function filesBelow(directory: string): Promise<string[]> {
  const files: string[] = [];
  const pending = [directory];
  for (let here = pending.pop(); here !== undefined; here = pending.pop()) {
    const entries: Dirent[] = await readdir(here, { withFileTypes: true }).catch((error: unknown) => {
      if (isAbsent(error)) return [];
      throw error;
    });
    for (const entry of entries) (entry.isDirectory() ? pending : files).push(join(here, entry.name));
  }
  return files;
}
