/** Reads files of /proc. */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** The kernel does not say how long these files are: readFileSync takes a new buffer of this size for each of them. */
const room = Buffer.allocUnsafeSlow(64 * 1024);

/** The text of a file; throws when its process is gone. */
export function procText(path: string): string {
  const file = openSync(path, 'r');
  try {
    let size = 0;
    for (;;) {
      const read = readSync(file, room, size, room.length - size, null);
      size += read;
      if (read === 0) return room.toString('latin1', 0, size);
      if (size === room.length) return readFileSync(path, 'latin1');
    }
  } finally {
    closeSync(file);
  }
}
