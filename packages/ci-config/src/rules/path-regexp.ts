/**
 * `changes:regexp` and `exists:regexp`: a regular expression over paths, in the linear-time engine. That one has no
 * lookahead; at the beginning of a path, where people write it, each lookahead is a pattern of its own.
 */
import { compilePattern, type Pattern } from './regex.ts';

export type PathRegexp = { readonly source: string; test(path: string): boolean };

/** Characters, after variables were expanded. */
export const LONGEST_PATH_REGEXP = 255;

type Branch = {
  readonly pattern: Pattern;
  readonly ahead: readonly { readonly pattern: Pattern; readonly wanted: boolean }[];
};

/** Where the group, class or character ends that begins at `at`. */
function endOf(source: string, at: number): number {
  if (source[at] === '\\') return at + 2;
  if (source[at] === '[') {
    // A bracket that comes first is one of the class.
    for (let next = source[at + 1] === '^' ? at + 2 : at + 1, first = next; next < source.length; next++) {
      if (source[next] === '\\') next++;
      else if (source[next] === ']' && next > first) return next + 1;
    }
    return source.length;
  }
  if (source[at] !== '(') return at + 1;
  let next = at + 1;
  while (next < source.length && source[next] !== ')') next = endOf(source, next);
  return next + 1;
}

/** The alternatives of an expression, those in groups left alone. */
function branchesOf(source: string): string[] {
  const found: string[] = [];
  let begin = 0;
  for (let at = 0; at < source.length; at = endOf(source, at)) {
    if (source[at] !== '|') continue;
    found.push(source.slice(begin, at));
    begin = at + 1;
  }
  return [...found, source.slice(begin)];
}

function branchOf(source: string): Branch | string {
  const anchor = /^(?:\\A|\^)/.exec(source)?.[0];
  let at = anchor?.length ?? 0;
  const ahead: { pattern: Pattern; wanted: boolean }[] = [];
  while (anchor && /^\(\?[!=]/.test(source.slice(at))) {
    const end = endOf(source, at);
    const pattern = compilePattern(`\\A(?:${source.slice(at + 3, end - 1)})`, '');
    if (typeof pattern === 'string') return pattern;
    ahead.push({ pattern, wanted: source[at + 2] === '=' });
    at = end;
  }
  const pattern = compilePattern(ahead.length > 0 ? `\\A(?:${source.slice(at)})` : source, '');
  return typeof pattern === 'string' ? pattern : { pattern, ahead };
}

/** The compiled expression, or why it cannot be. */
export function compilePathRegexp(source: string): PathRegexp | string {
  if (source.length > LONGEST_PATH_REGEXP)
    return `is too long (maximum is ${LONGEST_PATH_REGEXP} characters after variable expansion)`;
  const branches: Branch[] = [];
  for (const each of branchesOf(source)) {
    const branch = branchOf(each);
    if (typeof branch === 'string') return `is not a regular expression: ${branch}`;
    branches.push(branch);
  }
  const holds = ({ pattern, ahead }: Branch, path: string) =>
    ahead.every((each) => each.pattern.test(path) === each.wanted) && pattern.test(path);
  return { source, test: (path) => branches.some((branch) => holds(branch, path)) };
}
