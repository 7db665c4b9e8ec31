/** The trigrams that the index of texts has of whatever holds a text, as `show_trgm` of PostgreSQL makes them. */

/** Trigrams that narrow a search; more cost more than they save. */
const most = 24;

const isWord = (sign: string) => /[a-z0-9]/.test(sign);
/** What a letter is beyond ASCII depends on the locale of the database. */
const isKnown = (sign: string) => sign.charCodeAt(0) < 128;

/**
 * Words are runs of letters and digits, with two blanks in front and one behind. Where a word begins or ends is known only
 * within the text: a longer word may go on beyond it.
 */
export function trigramsWithin(text: string): string[] {
  // Only letters of ASCII: others may become such in lower case.
  const signs = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const found = new Set<string>();
  for (let at = 0; at < signs.length; ) {
    let end = at;
    while (end < signs.length && isWord(signs[end] as string)) end += 1;
    if (end > at) {
      const begins = at > 0 && isKnown(signs[at - 1] as string);
      const ends = end < signs.length && isKnown(signs[end] as string);
      const padded = `${begins ? '  ' : ''}${signs.slice(at, end)}${ends ? ' ' : ''}`;
      for (let from = 0; from + 3 <= padded.length; from += 1) found.add(padded.slice(from, from + 3));
    }
    at = end + 1;
  }
  // Those of the ends are of many words; the longest way into the text is what tells it apart.
  return [...found].slice(0, most);
}
