/**
 * What of a text is kept beside it to pass over it: a bit for each run of five signs that it has. A text whose bits lack one
 * of a search's cannot hold what is looked for, and is not read; one that has them all is.
 */

const runLength = 5;
/** Bytes for one text: with them its row stays in a page of its table, and the text outside. */
const mostBytes = 1536;
const leastBytes = 16;
/** Bits for each run, as long as there is room: about a quarter of them is set. */
const bitsForRun = 4;

/** Letters of ASCII count in either case, as `ilike` compares texts of the collation "C". */
const folded = (unit: number) => (unit >= 65 && unit <= 90 ? unit + 32 : unit);

const newline = 10;

/** Numbers of 31 bits for the runs of a text, none across lines; those of equal runs are equal. */
function* hashesOf(text: string): Generator<number> {
  for (let at = 0; at + runLength <= text.length; at += 1) {
    let hash = 0x811c9dc5;
    let of = 0;
    for (; of < runLength; of += 1) {
      const unit = text.charCodeAt(at + of);
      if (unit === newline) break;
      hash = Math.imul(hash ^ folded(unit), 0x01000193);
      hash ^= hash >>> 15;
    }
    // Whatever holds the line's end is no part of a line.
    if (of < runLength) at += of;
    else yield hash & 0x7fffffff;
  }
}

/** Of a text that is stored. */
export function gramsOf(text: string): Buffer {
  const hashes = new Set(hashesOf(text));
  const bytes = Math.min(mostBytes, Math.max(leastBytes, Math.ceil((hashes.size * bitsForRun) / 8)));
  const grams = Buffer.alloc(bytes);
  for (const hash of hashes) {
    const bit = hash % (bytes * 8);
    // As PostgreSQL counts the bits of a byte.
    grams[bit >> 3] = (grams[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  return grams;
}

/** Runs that a text to be looked for has: more decide nothing. */
const mostSought = 16;

/** What the bits of a text must have so that it can hold this one; nothing for short ones. */
export function soughtGrams(text: string): number[] {
  const hashes = [...new Set(hashesOf(text))];
  if (hashes.length <= mostSought) return hashes;
  // Spread over the text: neighbours have most of their signs in common.
  return Array.from({ length: mostSought }, (_, at) => hashes[Math.floor((at * hashes.length) / mostSought)] as number);
}
