/** Files that were read lately. Most pipelines of a project have the configuration of the one before, and trees never change. */
import type { ParseContext } from '../yaml/parse.ts';
import type { ParsedFile } from './file.ts';

/** Of texts; the trees take some thirty times as much. */
const mostCharacters = 256 * 1024;

interface Known {
  readonly text: string;
  readonly limits: string;
  readonly file: ParsedFile;
  /** What reading it took of the budget of merged keys. */
  readonly spent: Parameters<ParseContext['budget']['spend']>[];
}

/** By the name that its places have; those that were used last are at the end. */
const known = new Map<string, Known>();
let characters = 0;

function forget(name: string): void {
  characters -= known.get(name)?.text.length ?? 0;
  known.delete(name);
}

function remember(name: string, entry: Known): void {
  forget(name);
  if (entry.text.length > mostCharacters) return;
  known.set(name, entry);
  characters += entry.text.length;
  for (const oldest of known.keys()) {
    if (characters <= mostCharacters) break;
    forget(oldest);
  }
}

/** The file as `read` finds it, or as it was found the last time. What has a problem is read again each time, to say so. */
export function knownFile(
  name: string,
  text: string,
  context: ParseContext,
  read: (context: ParseContext) => ParsedFile,
): ParsedFile {
  const limits = JSON.stringify(context.limits);
  const found = known.get(name);
  if (found?.text === text && found.limits === limits) {
    for (const each of found.spent) context.budget.spend(...each);
    known.delete(name);
    known.set(name, found);
    return found.file;
  }
  const { errors, warnings } = context.problems;
  const before = errors.length + warnings.length;
  const spent: Known['spent'] = [];
  const budget = {
    spend: (...each: Known['spent'][number]) => {
      spent.push(each);
      context.budget.spend(...each);
    },
  };
  const file = read({ ...context, budget });
  if (errors.length + warnings.length === before) remember(name, { text, limits, file, spent });
  return file;
}
