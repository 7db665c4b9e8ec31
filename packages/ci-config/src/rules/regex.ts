/** Regular expressions of users, in a linear-time engine. */
import { RE2JS } from 're2js';

export type Pattern = { readonly source: string; readonly flags: string; test(text: string): boolean };

const LONGEST = 2_000;
const WRITTEN = /^\/((?:[^/\\]|\\.)+)\/([ismU]*)$/s;

/** `/source/flags` split; null when the text is not written like that. */
export function splitPattern(text: string): { source: string; flags: string } | null {
  const match = text.length <= LONGEST + 10 ? WRITTEN.exec(text) : null;
  return match ? { source: match[1]!, flags: match[2]! } : null;
}

/** A compiled pattern, or why the engine refuses it. */
export function compilePattern(source: string, flags: string): Pattern | string {
  if (source.length > LONGEST) return `the regular expression is longer than ${LONGEST} characters`;
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  try {
    const compiled = RE2JS.compile(flags.includes('U') ? `(?U)${source}` : source, bits);
    return { source, flags, test: (text) => compiled.test(text) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The pattern in the value of a variable; null when it holds none that works. */
export function patternOf(text: string): Pattern | null {
  const parts = splitPattern(text.trim());
  const pattern = parts && compilePattern(parts.source, parts.flags);
  return typeof pattern === 'object' ? pattern : null;
}
