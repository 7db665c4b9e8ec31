/** What of a file is searched: its text. */

/** Larger files are found by their path alone. */
export const largestFile = 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file; null for one that is binary. Bytes that are no UTF-8 are read as Latin-1. */
export function searchedText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }
}

export interface Chunk {
  /** Number of its first line, from 1. */
  readonly firstLine: number;
  readonly text: string;
}

/** Signs of one chunk; a longer line is one by itself. */
const chunkLength = 8 * 1024;

/** The lines of a text in pieces of some kilobytes, each of whole lines. */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let [start, firstLine, line] = [0, 1, 1];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    if (at > start && next - start > chunkLength) {
      chunks.push({ firstLine, text: text.slice(start, at) });
      [start, firstLine] = [at, line];
    }
    at = next;
    line += 1;
  }
  if (start < text.length) chunks.push({ firstLine, text: text.slice(start) });
  return chunks;
}
