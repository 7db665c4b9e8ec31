/** Lines of the files of a commit that hold a text, with the lines around them; found by git as they are read. */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { streamGit } from '../process/run.ts';
import type { Sha } from '../types.ts';

/** Neighbouring lines of a file, at least one of which holds the text. */
export interface FoundLines {
  path: string;
  /** Of the first line, from 1. */
  startLine: number;
  lines: string[];
}

export interface GrepOptions {
  /** Lines before and after each that holds the text. */
  around: number;
  /** Lines with the text that are looked for in one file. */
  mostPerFile: number;
  /** Bytes of output that are read; what comes after them is left out. */
  maxBytes: number;
  /** Longest run. */
  timeoutMs: number;
}

/** Longer lines, which nobody reads, are cut. */
const longestLine = 2000;
const nul = 0;
const newline = 10;
const separator = Buffer.from('--\n');

interface Line {
  path: string;
  number: number;
  text: string;
}

/** The first line of the output and where the next one begins; null where it has not come whole yet. */
function lineAt(data: Buffer, from: number): { line: Line | null; next: number } | null {
  if (data.length - from < separator.length) return null;
  // Names begin with the id of the commit.
  if (data.subarray(from, from + separator.length).equals(separator))
    return { line: null, next: from + separator.length };
  const name = data.indexOf(nul, from);
  const number = name < 0 ? -1 : data.indexOf(nul, name + 1);
  const end = number < 0 ? -1 : data.indexOf(newline, number + 1);
  if (end < 0) return null;
  const path = data.toString('utf8', data.indexOf(':', from) + 1, name);
  const text = data.toString('utf8', number + 1, end).replace(/\r$/, '');
  return {
    line: { path, number: Number(data.toString('latin1', name + 1, number)), text: text.slice(0, longestLine) },
    next: end + 1,
  };
}

/**
 * The places that hold a text, whatever its case, in the order of the paths; binary files are left out. Ending the walk
 * early ends the process.
 */
export async function* grep(repo: Repo, commit: Sha, text: string, options: GrepOptions): AsyncGenerator<FoundLines> {
  // A newline would make two patterns of one, NUL cannot be passed at all.
  if (text === '' || /[\n\0]/.test(text)) throw new GitError('invalid', 'not an acceptable search text');
  const { around, mostPerFile, maxBytes, timeoutMs } = options;
  const form = ['-z', '-n', '-F', '-i', '-I', '--full-name', '--no-color', '--no-heading'];
  const limits = [`--context=${around}`, `--max-count=${mostPerFile}`];
  const args = ['grep', ...form, ...limits, '-e', text, commit, '--'];
  const { stdout, done, stop } = await streamGit(repo, args, { work: 'heavy', timeoutMs, okCodes: [0, 1] });
  let found = null as FoundLines | null;
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  try {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      size += chunk.length;
      const data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      for (let next = lineAt(data, at); next; next = lineAt(data, at)) {
        at = next.next;
        const { line } = next;
        if (!line) continue;
        if (found?.path === line.path && line.number === found.startLine + found.lines.length) {
          found.lines.push(line.text);
          continue;
        }
        if (found) yield found;
        found = { path: line.path, startLine: line.number, lines: [line.text] };
      }
      rest = data.subarray(at);
      if (size > maxBytes) break;
    }
    if (found) yield found;
    if (size <= maxBytes) await done;
  } finally {
    stop();
  }
}
