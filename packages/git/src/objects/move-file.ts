/** New files move into a repository while others tidy it. */
import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How often the directory of a file may be gone again before that is no accident. */
const mostRemovals = 20;

/** Packing beside us removes the directories of loose objects that are empty: one may be gone before its first file is there. */
export async function moveFile(from: string, to: string): Promise<void> {
  for (let left = mostRemovals; ; left--) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || left === 0) throw error;
      // Not a repository that is gone: its quarantine would be, too.
      await stat(from);
      await mkdir(dirname(to), { recursive: true });
    }
  }
}
