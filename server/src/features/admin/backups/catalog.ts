/** Catalogs of a backup: newline-delimited JSON, written and read as streams. */
import { DamagedBackup } from './sealing.ts';

const most = 64 * 1024;

/** Lines in pieces that are worth a write. */
export async function* linesOf(entries: AsyncIterable<unknown>): AsyncGenerator<string> {
  let piece = '';
  for await (const entry of entries) {
    piece += `${JSON.stringify(entry)}\n`;
    if (piece.length < most) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/** The entries of a catalog. Throws DamagedBackup for what is none. */
export async function* entriesOf<T>(source: AsyncIterable<Buffer>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as T;
  }
  if (rest !== '') throw new DamagedBackup('a catalog is cut off');
}
