/** Errors and warnings with the place that they speak of. */
import { type Limits, type LimitUse, limitSentence } from './limits.ts';

/** A place in a file; lines and columns count from 1. Line 0 is the configuration as a whole. */
export type Mark = { readonly file: string; readonly line: number; readonly column: number };

/** A message about a place. `limit` is present when a limit was exceeded. */
export type Located = Mark & { readonly message: string; readonly limit?: LimitUse };

/** The configuration as a whole: a message about it names no line, as clients compare such texts. */
export const wholeOf = (mark: Mark): Mark => ({ ...mark, line: 0, column: 0 });

/** `FILE:LINE:COLUMN: REASON`, the form for logs, pages and `yaml_errors`; of a whole configuration `REASON` alone. */
export function formatLocated(located: Located): string {
  if (located.line === 0) return located.message;
  return `${located.file}:${located.line}:${located.column}: ${located.message}`;
}

export function located(mark: Mark, message: string, limit?: LimitUse): Located {
  const { file, line, column } = mark;
  return limit ? { file, line, column, message, limit } : { file, line, column, message };
}

/** Ends a compilation where going on has no meaning; `compile` turns it into a result. */
export class CompileFailure extends Error {
  override name = 'CompileFailure';
  readonly located: Located;

  constructor(reason: Located) {
    super(reason.message);
    this.located = reason;
  }
}

export function fail(mark: Mark, message: string): never {
  throw new CompileFailure(located(mark, message));
}

export function failLimit(mark: Mark, subject: string, limits: Limits, name: keyof Limits, used: number): never {
  const use = { name, value: limits[name], used };
  throw new CompileFailure(located(mark, limitSentence(subject, use), use));
}

export type Problems = {
  readonly errors: Located[];
  readonly warnings: Located[];
  error(mark: Mark, message: string, limit?: LimitUse): void;
  warn(mark: Mark, message: string): void;
};

// A broken file can hold one error per line; nobody reads past these.
const MOST = 100;

export function collectProblems(): Problems {
  const errors: Located[] = [];
  const warnings: Located[] = [];
  const seen = new Set<string>();
  // Values reached through anchors, `extends` and defaults are visited once per job; their problem is one.
  const add = (list: Located[], entry: Located): void => {
    const key = `${list === errors ? 'e' : 'w'}${formatLocated(entry)}`;
    if (list.length >= MOST || seen.has(key)) return;
    seen.add(key);
    list.push(entry);
  };
  return {
    errors,
    warnings,
    error: (mark, message, limit) => add(errors, located(mark, message, limit)),
    warn: (mark, message) => add(warnings, located(mark, message)),
  };
}
