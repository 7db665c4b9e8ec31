/** Hides the token of a job in its log, whatever runner sends the log: as long as it was, so that every byte keeps its place. Pure. */

const MASK = 'x';
const BASE64_BITS = 6;

/** The token, and base64 of texts that hold it: it begins at one of three offsets there. */
function spellingsOf(token: string): Buffer[] {
  const encoded = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), Buffer.from(token)]);
    const from = Math.ceil((offset * 8) / BASE64_BITS);
    return padded.toString('base64').slice(from, Math.floor((padded.length * 8) / BASE64_BITS));
  });
  const urls = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([token, encodeURIComponent(token), ...encoded, ...urls])].map((text) => Buffer.from(text));
}

export interface TokenMask {
  /** Bytes before a piece of the log that may have to do with a token that ends in it. */
  readonly reach: number;
  /** Whether a token may have begun before the piece: mostly not, and then nothing before it has to be read. */
  continuesIn(piece: Buffer): boolean;
  /** Hides every spelling, in place; the place of the first byte that was changed, or -1. */
  hide(text: Buffer): number;
}

export function tokenMask(token: string): TokenMask {
  if (token === '') throw new Error('a job has a token');
  const spellings = spellingsOf(token);
  const endsIn = (spelling: Buffer, piece: Buffer): boolean => {
    for (let left = 1; left < spelling.length; left++) {
      const rest = spelling.length - left;
      if (rest <= piece.length && spelling.compare(piece, 0, rest, left) === 0) return true;
    }
    return false;
  };
  return {
    reach: Math.max(...spellings.map(({ length }) => length)) - 1,
    continuesIn: (piece) => spellings.some((spelling) => endsIn(spelling, piece)),
    hide: (text) => {
      let first = -1;
      for (const spelling of spellings) {
        for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + spelling.length)) {
          text.fill(MASK, at, at + spelling.length);
          if (first < 0 || at < first) first = at;
        }
      }
      return first;
    },
  };
}
