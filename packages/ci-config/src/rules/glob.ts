/** Path patterns of `changes`, `exists` and `cache:key:files`, matched in time linear in pattern times path. */

export type Glob = { readonly literal: string | null; matches(path: string): boolean };

type Token = { readonly star: true } | { readonly star: false; accepts(character: string): boolean };
type Segment = '**' | readonly Token[];

/**
 * `*` and `?` stay within a directory, `**` followed by a slash crosses any number of them, `[a-z]` and `{a,b}` choose,
 * a backslash takes the next character as it is. Null when braces make more than `mostAlternatives`.
 */
export function compileGlob(pattern: string, mostAlternatives: number): Glob | null {
  if (!/[*?[\]{}\\]/.test(pattern)) return { literal: pattern, matches: (path) => path === pattern };
  const alternatives = expandBraces(pattern, mostAlternatives);
  if (!alternatives) return null;
  const compiled = alternatives.map((alternative) => {
    const parts = alternative.split('/');
    return parts.map((part, index): Segment => (part === '**' && index < parts.length - 1 ? '**' : tokens(part)));
  });
  return { literal: null, matches: (path) => matchesAny(compiled, path.split('/')) };
}

function matchesAny(patterns: readonly (readonly Segment[])[], parts: readonly string[]): boolean {
  return patterns.some((segments) =>
    matchWithStars(
      segments,
      parts,
      (segment) => segment === '**',
      (segment, part) => segment !== '**' && matchSegment(segment, part),
    ),
  );
}

function matchSegment(segment: readonly Token[], part: string): boolean {
  return matchWithStars(
    segment,
    [...part],
    (token) => token.star,
    (token, character) => !token.star && token.accepts(character),
  );
}

/** Two pointers and one point to come back to: the latest star. Never exponential. */
function matchWithStars<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isStar: (part: P) => boolean,
  accepts: (part: P, item: T) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < text.length) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      star = at++;
      resume = index;
    } else if (part !== undefined && accepts(part, text[index]!)) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  while (at < pattern.length && isStar(pattern[at]!)) at++;
  return at === pattern.length;
}

function tokens(part: string): Token[] {
  const result: Token[] = [];
  const characters = [...part];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index]!;
    if (character === '*') {
      if (!result.at(-1)?.star) result.push({ star: true });
    } else if (character === '?') result.push({ star: false, accepts: () => true });
    else if (character === '[') {
      const set = characterSet(characters, index);
      result.push({ star: false, accepts: set?.accepts ?? ((other) => other === '[') });
      index = set?.end ?? index;
    } else {
      const literal = character === '\\' && index + 1 < characters.length ? characters[++index]! : character;
      result.push({ star: false, accepts: (other) => other === literal });
    }
  }
  return result;
}

function characterSet(
  characters: readonly string[],
  start: number,
): { accepts(c: string): boolean; end: number } | null {
  let index = start + 1;
  const negated = characters[index] === '!' || characters[index] === '^';
  if (negated) index++;
  const end = characters.indexOf(']', index + 1);
  if (end < 0) return null;
  const ranges: [string, string][] = [];
  while (index < end) {
    const first = characters[index]!;
    const isRange = characters[index + 1] === '-' && index + 2 < end;
    ranges.push([first, isRange ? characters[index + 2]! : first]);
    index += isRange ? 3 : 1;
  }
  return { accepts: (c) => ranges.some(([low, high]) => c >= low && c <= high) !== negated, end };
}

/** `a{b,c{d,e}}` -> every alternative; unbalanced braces are ordinary characters. */
function expandBraces(pattern: string, most: number): string[] | null {
  const done: string[] = [];
  const open = [pattern];
  let steps = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (done.length + open.length > most || ++steps > most * 4) return null;
    const group = firstGroup(next);
    if (group) for (const part of group.parts.reverse()) open.push(group.before + part + group.after);
    else done.push(next);
  }
  return done;
}

function firstGroup(text: string): { before: string; parts: string[]; after: string } | null {
  const start = text.indexOf('{');
  if (start < 0) return null;
  const parts: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === '{') depth++;
    else if (character === ',' && depth === 1) {
      parts.push(text.slice(from, index));
      from = index + 1;
    } else if (character === '}' && --depth === 0) {
      parts.push(text.slice(from, index));
      return { before: text.slice(0, start), parts, after: text.slice(index + 1) };
    }
  }
  return null;
}
