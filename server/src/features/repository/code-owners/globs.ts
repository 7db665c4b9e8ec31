/** Patterns of paths as they are written in CODEOWNERS: `*` within a name, `**` over directories, `?`, `[a-z]`. */

type Token = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'any' | 'many' } | CharacterSet;
interface CharacterSet {
  readonly kind: 'set';
  readonly negated: boolean;
  readonly ranges: ReadonlyArray<readonly [from: string, to: string]>;
}
/** One name of a path; null stands for any number of directories. */
type Segment = readonly Token[] | null;
export type Glob = readonly Segment[];

/** `[...]` from its bracket on; null where it does not end. */
function setAt(text: string, start: number): { readonly set: CharacterSet; readonly end: number } | null {
  let at = start + 1;
  const negated = text[at] === '!' || text[at] === '^';
  if (negated) at += 1;
  const ranges: Array<readonly [string, string]> = [];
  while (at < text.length && (text[at] !== ']' || ranges.length === 0)) {
    const from = text[at] ?? '';
    const to =
      text[at + 1] === '-' && text[at + 2] !== undefined && text[at + 2] !== ']' ? (text[at + 2] ?? from) : from;
    ranges.push([from, to]);
    at += to === from && text[at + 1] !== '-' ? 1 : to === from ? 1 : 3;
  }
  return text[at] === ']' ? { set: { kind: 'set', negated, ranges }, end: at } : null;
}

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = [];
  const text = (added: string) => tokens.push({ kind: 'text', text: added });
  for (let at = 0; at < segment.length; at += 1) {
    const sign = segment[at] ?? '';
    const set = sign === '[' ? setAt(segment, at) : null;
    if (sign === '\\' && at + 1 < segment.length) text(segment[++at] ?? '');
    else if (sign === '*') {
      if (tokens.at(-1)?.kind !== 'many') tokens.push({ kind: 'many' });
    } else if (sign === '?') tokens.push({ kind: 'any' });
    else if (set) {
      tokens.push(set.set);
      at = set.end;
    } else text(sign);
  }
  return tokens;
}

/** Reads a pattern: with a leading slash from the top, else anywhere; with a trailing one everything below. */
export function readGlob(pattern: string): Glob {
  if (pattern === '*') return [null, [{ kind: 'many' }]];
  const rooted = pattern.startsWith('/') ? pattern.slice(1) : `**/${pattern}`;
  const full = rooted.endsWith('/') ? `${rooted}**/*` : rooted;
  const segments = full.split('/');
  return segments.map((segment, at) => (segment === '**' && at < segments.length - 1 ? null : tokensOf(segment)));
}

const inSet = ({ negated, ranges }: CharacterSet, sign: string): boolean =>
  ranges.some(([from, to]) => sign >= from && sign <= to) !== negated;

const matchesOne = (token: Token, sign: string): boolean =>
  token.kind === 'any' ||
  (token.kind === 'text' && token.text === sign) ||
  (token.kind === 'set' && inSet(token, sign));

/**
 * Whether `pieces` match `wanted` one by one, where some of `wanted` stand for any number of pieces. Going back to the
 * last of these is enough, so that no pattern costs more than the product of the lengths.
 */
function matchesAll<W, P>(
  wanted: readonly W[],
  pieces: readonly P[],
  isMany: (each: W) => boolean,
  matches: (each: W, piece: P) => boolean,
): boolean {
  let [at, piece, many, resume] = [0, 0, -1, 0];
  while (piece < pieces.length) {
    const next = wanted[at];
    if (at < wanted.length && isMany(next as W)) {
      [many, resume] = [at, piece];
      at += 1;
    } else if (at < wanted.length && matches(next as W, pieces[piece] as P)) {
      at += 1;
      piece += 1;
    } else if (many >= 0) {
      resume += 1;
      [at, piece] = [many + 1, resume];
    } else return false;
  }
  return wanted.slice(at).every(isMany);
}

const matchesName = (tokens: readonly Token[], name: string): boolean =>
  matchesAll(tokens, [...name], ({ kind }) => kind === 'many', matchesOne);

/** Whether a pattern matches the path of a file, which has no leading slash. */
export const matchesGlob = (glob: Glob, path: string): boolean =>
  matchesAll(
    glob,
    path.split('/'),
    (segment) => segment === null,
    (segment, name) => segment !== null && matchesName(segment, name),
  );
