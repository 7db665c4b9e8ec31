/** The lines that new commits add, as a diff tells them: what no reference has yet. */
import type { Repo } from '../context.ts';
import { unquotePath } from '../diff/quote.ts';
import { GitError } from '../errors.ts';
import { streamGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';

export interface IntroducedLine {
  commit: Sha;
  path: string;
  /** Of the new file, from 1. */
  line: number;
  text: string;
}

export interface IntroducedLinesOptions {
  /** Bytes of diffs that are read; beyond them `limit`. */
  maxBytes: number;
}

const longestLine = 1024 * 1024;

/** Lines without their ends; what is longer than a megabyte comes in pieces. */
async function* linesOf(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<{ text: string; ends: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) throw new GitError('limit', `what is new is more than ${maxBytes} bytes`);
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10)) {
      yield { text: data.toString('utf8', 0, end), ends: true };
      data = data.subarray(end + 1);
    }
    if (data.length > longestLine) {
      yield { text: data.toString('utf8'), ends: false };
      data = Buffer.alloc(0);
    }
    rest = data;
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), ends: true };
}

/** What is left of a hunk: lines of each parent, and of the result. */
interface Hunk {
  old: number[];
  new: number;
}

function hunkOf(line: string): { hunk: Hunk; start: number } | null {
  const marks = /^(@@+) (.+?) \1/.exec(line);
  if (!marks) return null;
  const ranges = (marks[2] ?? '').split(' ').map((range) => /^[-+](\d+)(?:,(\d+))?$/.exec(range));
  const counts = ranges.map((range) => Number(range?.[2] ?? 1));
  const last = ranges.at(-1);
  return { hunk: { old: counts.slice(0, -1), new: counts.at(-1) ?? 0 }, start: Number(last?.[1] ?? 0) };
}

/**
 * Text that new commits add; of merges only what none of the parents has. Binary files are left out. Ending the walk early
 * ends the process. Throws `limit`.
 */
export async function* introducedLines(
  repo: Repo,
  tips: readonly Sha[],
  options: IntroducedLinesOptions,
): AsyncGenerator<IntroducedLine> {
  if (tips.length === 0) return;
  const form = ['--format=%x00%H', '-p', '-U0', '--cc', '--no-prefix', '--no-renames', '--no-color', '--no-ext-diff'];
  const args = ['log', ...form, '--no-textconv', '--submodule=short', ...tips, '--not', '--all', '--'];
  const { stdout, done, stop } = await streamGit(repo, args, { work: 'heavy' });
  let commit: Sha | null = null;
  let path = '';
  let hunk: Hunk | null = null;
  let at = 0;
  let continued: string | null = null;
  try {
    for await (const { text: part, ends } of linesOf(stdout as AsyncIterable<Buffer>, options.maxBytes)) {
      // A piece of a long line has the marks of its beginning.
      const text: string = continued === null ? part : continued + part;
      if (hunk) {
        const parents = hunk.old.length;
        const marks = text.slice(0, parents);
        if (commit && /^\++$/.test(marks)) yield { commit, path, line: at, text: text.slice(parents) };
        continued = ends ? null : marks;
        if (!ends || text.startsWith('\\')) continue;
        const removed = marks.includes('-');
        hunk.old = hunk.old.map((left, index) => (marks[index] === (removed ? '-' : ' ') ? left - 1 : left));
        if (!removed) {
          hunk.new -= 1;
          at += 1;
        }
        if (hunk.new <= 0 && hunk.old.every((left) => left <= 0)) hunk = null;
        continue;
      }
      continued = null;
      const id = text.startsWith('\0') ? text.slice(1) : '';
      const found = text.startsWith('@@') ? hunkOf(text) : null;
      if (isSha(id)) commit = id;
      else if (text.startsWith('+++ ')) path = unquotePath(text.slice(4).replace(/\t$/, ''));
      else if (found && (found.hunk.new > 0 || found.hunk.old.some((left) => left > 0))) {
        hunk = found.hunk;
        at = found.start;
      }
    }
    await done;
  } finally {
    stop();
  }
}
