/** The last lines of a log file, for error messages. */
import { open } from 'node:fs/promises';

/** At most 2,000 characters that were written to `path` after byte `offset`; '' when there is no file. */
export async function logTail(path: string, offset: number): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const from = Math.max(offset, size - 2000, 0);
      const buffer = Buffer.alloc(Math.max(size - from, 0));
      await file.read(buffer, 0, buffer.length, from);
      return buffer.toString('utf8').trim();
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}
