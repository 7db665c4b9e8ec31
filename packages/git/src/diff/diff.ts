/** Differences between two commits or trees: files with patches, or only what changed. Cached by ids. */
import { pipeline, Readable, Transform } from 'node:stream';
import type { Repo } from '../context.ts';
import { GitError, isGitError } from '../errors.ts';
import { readCommit } from '../objects/read.ts';
import { splitPath } from '../objects/tree.ts';
import { objectHeader } from '../process/cat-file.ts';
import { helperRaw } from '../process/diff-tree.ts';
import { helperPatch } from '../process/patch-helper.ts';
import { gitText, ownedOutput, streamGit } from '../process/run.ts';
import { EMPTY_TREE, type Sha } from '../types.ts';
import {
  createDiffParser,
  DEFAULT_DIFF_LIMITS,
  type DiffLimits,
  type FileDiff,
  type ParsedDiff,
  parseRawLine,
} from './parse.ts';

export interface DiffOptions {
  /** Only these files or directories. */
  paths?: readonly string[];
  limits?: Partial<DiffLimits>;
  ignoreWhitespace?: boolean;
  /** Lines around a change; default 3. */
  context?: number;
}

function pathArguments(paths: readonly string[] | undefined): string[] {
  const cleaned = (paths ?? []).map((path) => {
    const parts = splitPath(path);
    if (!parts) throw new GitError('invalid', 'not an acceptable path');
    return parts.join('/');
  });
  return ['--', ...cleaned.filter((path) => path !== '')];
}

/** Renames are found from this similarity on, as in the ecosystem. */
const RENAMES = '--find-renames=30%';

/**
 * Files that differ between two commits or trees (`from` null: everything in `to` is new), with their patches within
 * the limits. Throws `not_found` for missing ids.
 */
export async function diff(repo: Repo, from: Sha | null, to: Sha, options: DiffOptions = {}): Promise<ParsedDiff> {
  const key = `diff${repo.key}:${from}:${to}:${JSON.stringify(options)}`;
  const known = repo.git.cache.get(key) as ParsedDiff | undefined;
  if (known) return known;
  const limits = { ...DEFAULT_DIFF_LIMITS, ...options.limits };
  const flags = [`--unified=${Math.trunc(options.context ?? 3)}`, ...(options.ignoreWhitespace ? ['-w'] : [])];
  const args = [
    'diff-tree',
    '-r',
    '--raw',
    '-p',
    '--full-index',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    RENAMES,
  ];
  const stream = await streamGit(repo, [...args, ...flags, from ?? EMPTY_TREE, to, ...pathArguments(options.paths)], {
    work: 'heavy',
  });
  const parser = createDiffParser(limits);
  stream.stdout.on('data', (chunk: Buffer) => parser.write(chunk));
  await stream.done;
  const result = parser.end();
  const bytes = result.files.reduce((sum, file) => sum + file.patch.length * 1.2 + 500, 500);
  repo.git.cache.set(key, result, bytes);
  return result;
}

/** What a commit changed against its first parent; a root commit against nothing. */
export async function commitDiff(repo: Repo, id: Sha, options: DiffOptions = {}): Promise<ParsedDiff> {
  const commit = await readCommit(repo, id);
  if (!commit) throw new GitError('not_found', 'no such commit');
  return diff(repo, commit.parents[0] ?? null, id, options);
}

/** Paths, modes and ids that differ, without patches; renames as pairs unless `renames` is false. */
export async function changedFiles(
  repo: Repo,
  from: Sha | null,
  to: Sha,
  options: { paths?: readonly string[]; renames?: boolean; maxFiles?: number } = {},
): Promise<FileDiff[]> {
  const key = `changed${repo.key}:${from}:${to}:${JSON.stringify(options)}`;
  const known = repo.git.cache.get(key) as FileDiff[] | undefined;
  if (known) return known;
  const renames = options.renames === false ? '--no-renames' : RENAMES;
  const text = await rawLines(repo, from, to, renames, options.paths);
  const files = text
    .split('\n')
    .map(parseRawLine)
    .filter((file) => file !== null);
  const kept = options.maxFiles === undefined ? files : files.slice(0, options.maxFiles);
  repo.git.cache.set(key, kept, kept.length * 500 + 500);
  return kept;
}

/** Lines of `--raw`: from the helper of the repository where it can give them, else from a process of its own. */
async function rawLines(
  repo: Repo,
  from: Sha | null,
  to: Sha,
  renames: string,
  paths: readonly string[] | undefined,
): Promise<string> {
  if (paths === undefined && from !== null && (await areCommits(repo, from, to)))
    try {
      const text = await helperRaw(repo, from, to, renames);
      // Nothing may mean that git has something to say about them.
      if (text !== '') return text;
    } catch (error) {
      if (!isGitError(error, 'timeout', 'limit', 'failed')) throw error;
    }
  const args = ['diff-tree', '-r', '--raw', '--full-index', renames, from ?? EMPTY_TREE, to];
  return await gitText(repo, [...args, ...pathArguments(paths)], { work: 'heavy' });
}

/** Whether a helper compares them: it takes commits of the repository itself. Of trees it would turn the order round. */
async function areCommits(repo: Repo, from: Sha, to: Sha): Promise<boolean> {
  if (repo.quarantine) return false;
  const headers = await Promise.all([objectHeader(repo, from), objectHeader(repo, to)]);
  return headers.every((header) => header?.type === 'commit');
}

/** Longest patch that is kept. */
const keptPatch = 4 * 1024 * 1024;

/** Passes a stream on, and all of it to `keep` when it has ended whole and is not too long. */
function keeping(stream: Readable, keep: (whole: Buffer) => void): Readable {
  let kept: Buffer[] | null = [];
  let bytes = 0;
  const copied = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > keptPatch) kept = null;
      kept?.push(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (kept) keep(Buffer.concat(kept));
      done();
    },
  });
  // What goes wrong on one side ends the other: a reader who leaves ends git, and a failure of git reaches the reader.
  return pipeline(stream, copied, () => undefined);
}

/** A patch as text (`.diff`), streamed by git itself; what was asked for lately is kept. */
export async function patchStream(repo: Repo, from: Sha | null, to: Sha): Promise<Readable> {
  const key = `patch${repo.key}:${from}:${to}`;
  const known = repo.git.cache.get(key) as Buffer | undefined;
  if (known) return Readable.from([known]);
  const args = ['diff-tree', '-r', '-p', RENAMES, from ?? EMPTY_TREE, to, '--'];
  const helped =
    from !== null && (await areCommits(repo, from, to)) ? await helperPatch(repo, from, to, RENAMES) : null;
  const output = helped ?? ownedOutput(await streamGit(repo, args, { work: 'download' }));
  return keeping(output, (whole) => repo.git.cache.set(key, whole, whole.length));
}

/** Commits of a range as mails (`.patch`), or `to` alone without `from`, streamed by git itself. */
export async function mailStream(repo: Repo, from: Sha | null, to: Sha): Promise<Readable> {
  const range = from ? [`${from}..${to}`] : ['--root', '-1', to];
  const args = ['format-patch', '--stdout', '--no-signature', ...range, '--'];
  return ownedOutput(await streamGit(repo, args, { work: 'download' }));
}
