/** Path patterns of artifacts and caches: `**`, `*`, `?`, `[a-z]`, `{a,b}`. Linear time per segment, no regular expressions. */

const LARGEST_EXPANSION = 1000;

export type PathPattern = {
  /** Directories before the first wildcard: where a search may begin. '' is the root. */
  base: string;
  /** No wildcard at all: `base` is the whole path. */
  literal: boolean;
  matches(path: string): boolean;
};

/** Compiles a pattern relative to the workspace; paths use `/` and have no leading one. */
export function compilePattern(pattern: string): PathPattern[] {
  return expandBraces(pattern).map((text) => {
    const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
    const literal = segments.findIndex((segment) => /[*?[\\]/.test(segment));
    const base = literal === -1 ? segments : segments.slice(0, literal);
    return {
      base: base.join('/'),
      literal: literal === -1,
      matches: (path) => matchSegments(segments, path.split('/')),
    };
  });
}

function matchSegments(pattern: string[], path: string[]): boolean {
  // reachable[i]: the pattern up to i fits the path so far.
  let reachable = pattern.map(() => false);
  reachable.push(false);
  reachable[0] = true;
  const skip = (row: boolean[]) => {
    for (let i = 0; i < pattern.length; i++) if (row[i] && pattern[i] === '**') row[i + 1] = true;
  };
  skip(reachable);
  for (const segment of path) {
    const next = reachable.map(() => false);
    for (let i = 0; i < pattern.length; i++) {
      if (!reachable[i]) continue;
      if (pattern[i] === '**') next[i] = true;
      else if (matchSegment(pattern[i]!, segment)) next[i + 1] = true;
    }
    skip(next);
    reachable = next;
  }
  return reachable[pattern.length] === true;
}

function matchSegment(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let mark = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      mark = t;
      continue;
    }
    const taken = p < pattern.length ? matchOne(pattern, p, text[t]!) : 0;
    if (taken > 0) {
      p += taken;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** How many pattern characters match this one character; 0 when they do not. */
function matchOne(pattern: string, p: number, character: string): number {
  const token = pattern[p]!;
  if (token === '?') return 1;
  if (token === '\\' && p + 1 < pattern.length) return pattern[p + 1] === character ? 2 : 0;
  const end = token === '[' ? pattern.indexOf(']', p + 2) : -1;
  if (end < 0) return token === character ? 1 : 0;
  return matchClass(pattern.slice(p + 1, end), character) ? end - p + 1 : 0;
}

function matchClass(text: string, character: string): boolean {
  const negated = text[0] === '!' || text[0] === '^';
  let found = false;
  for (let i = negated ? 1 : 0; i < text.length; i++) {
    if (text[i + 1] === '-' && i + 2 < text.length) {
      if (character >= text[i]! && character <= text[i + 2]!) found = true;
      i += 2;
    } else if (text[i] === character) found = true;
  }
  return found !== negated;
}

function expandBraces(pattern: string): string[] {
  let texts = [pattern];
  for (;;) {
    const index = texts.findIndex((text) => innermost(text) !== undefined);
    if (index === -1) return texts;
    const [open, close] = innermost(texts[index]!)!;
    const text = texts[index]!;
    const choices = text.slice(open + 1, close).split(',');
    if (texts.length + choices.length > LARGEST_EXPANSION) throw new Error(`too many alternatives in ${pattern}`);
    const expanded = choices.map((choice) => text.slice(0, open) + choice + text.slice(close + 1));
    texts = [...texts.slice(0, index), ...expanded, ...texts.slice(index + 1)];
  }
}

function innermost(text: string): [number, number] | undefined {
  const close = text.indexOf('}');
  const open = text.lastIndexOf('{', close);
  return close > 0 && open >= 0 ? [open, close] : undefined;
}
