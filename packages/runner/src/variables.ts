/** Job variables: expansion, the files of file-type variables, and the environment that a job sees. */
import type { JobVariable } from './protocol.ts';

const REFERENCE = /\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** Replaces `$NAME` and `${NAME}` once; `$$` is a dollar sign and an unknown name is empty. */
export function expand(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(REFERENCE, (reference, braced?: string, bare?: string) =>
    reference === '$$' ? '$' : (lookup((braced ?? bare)!) ?? ''),
  );
}

export type Variables = {
  get(name: string): string | undefined;
  /** Everything for the environment; file-type variables hold the path of their file. */
  environment: Record<string, string>;
  /** Contents of file-type variables by name. */
  files: Map<string, string>;
  masked: string[];
};

/**
 * Resolves the payload's variables: later ones win, each value is expanded once against the unexpanded others (as the
 * official runner does), raw ones stay as they are.
 */
export function resolveVariables(list: JobVariable[], filePath: (name: string) => string): Variables {
  const byName = new Map(list.filter((variable) => isName(variable.key)).map((variable) => [variable.key, variable]));
  const plain = (name: string): string | undefined => {
    const variable = byName.get(name);
    return variable?.file ? filePath(name) : variable?.value;
  };
  const environment: Record<string, string> = {};
  const files = new Map<string, string>();
  for (const [name, variable] of byName) {
    const value = variable.raw ? variable.value : expand(variable.value, plain);
    if (variable.file) files.set(name, value);
    // The kernel ends strings at NUL.
    environment[name] = variable.file ? filePath(name) : value.replaceAll('\0', '');
  }
  const masked = list
    .filter((variable) => variable.masked && variable.value)
    .flatMap(({ key, value }) => [value, files.get(key) ?? environment[key] ?? value]);
  return { get: (name) => environment[name], environment, files, masked };
}

// Names come from people; this one becomes a file name too.
function isName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** A positive whole number between `min` and `max`, or the fallback. */
export function numberOf(value: string | undefined, fallback: number, min: number, max: number): number {
  const number = value && /^\d+$/.test(value) ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? fallback : Math.min(Math.max(number, min), max);
}
