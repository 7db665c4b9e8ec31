/** What a push brings that no reference has yet: the paths that its commits add, files above a size. */
import type { Repo } from '../context.ts';
import { streamGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';

const NOT_YET = ['--not', '--all'];

export interface IntroducedPath {
  commit: Sha;
  path: string;
}

/** The status letters of a raw line; of a merge one per parent. */
const added = (header: string) => /^:.* A+$/.test(header);

/** Texts between NULs. */
async function* parted(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = data.indexOf(0); end >= 0; end = data.indexOf(0)) {
      yield data.toString('utf8', 0, end);
      data = data.subarray(end + 1);
    }
    rest = data;
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

/** Paths of what commits do that `pick` wants, by their raw lines; of merges only what none of the parents has. */
async function* pathsOf(
  repo: Repo,
  revisions: readonly string[],
  pick: (header: string) => boolean,
): AsyncGenerator<IntroducedPath> {
  const form = ['--format=%H', '-z', '--raw', '--no-renames', '--no-abbrev', '--diff-merges=combined'];
  const { stdout, done, stop } = await streamGit(repo, ['log', ...form, ...revisions, '--'], { work: 'heavy' });
  let commit: Sha | null = null;
  let wanted: boolean | null = null;
  try {
    for await (const text of parted(stdout as AsyncIterable<Buffer>)) {
      if (wanted !== null) {
        if (wanted && commit) yield { commit, path: text };
        wanted = null;
      } else {
        // A line break parts a commit from its first file.
        const line = text.trimStart();
        if (line.startsWith(':')) wanted = pick(line);
        else if (isSha(line)) commit = line;
      }
    }
    await done;
  } finally {
    stop();
  }
}

/** Paths that new commits add, renamed files under their new name. Ending the walk early ends the process. */
export async function* introducedPaths(repo: Repo, tips: readonly Sha[]): AsyncGenerator<IntroducedPath> {
  if (tips.length > 0) yield* pathsOf(repo, [...tips, ...NOT_YET], added);
}

/** Paths that new commits add, change or remove. */
export async function* touchedPaths(repo: Repo, tip: Sha): AsyncGenerator<string> {
  for await (const { path } of pathsOf(repo, [tip, ...NOT_YET], () => true)) yield path;
}

/** Paths that are not the same in two commits, renamed files under both names. Ending the walk early ends the process. */
export async function* differingPaths(repo: Repo, from: Sha, to: Sha): AsyncGenerator<string> {
  const form = ['-r', '-z', '--name-only', '--no-renames', '--ignore-submodules=none'];
  const { stdout, done, stop } = await streamGit(repo, ['diff-tree', ...form, from, to, '--'], { work: 'heavy' });
  try {
    yield* parted(stdout as AsyncIterable<Buffer>);
    await done;
  } finally {
    stop();
  }
}

export interface ChangedBlob {
  path: string;
  /** Null where the path is no regular file any more. */
  id: Sha | null;
}

/** Paths whose regular files differ between two commits, with what they hold in the second. */
export async function* changedBlobs(repo: Repo, from: Sha, to: Sha): AsyncGenerator<ChangedBlob> {
  const form = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=none'];
  const { stdout, done, stop } = await streamGit(repo, ['diff-tree', ...form, from, to, '--'], { work: 'heavy' });
  let id = undefined as Sha | null | undefined;
  try {
    for await (const text of parted(stdout as AsyncIterable<Buffer>)) {
      if (id !== undefined) {
        yield { path: text, id };
        id = undefined;
        continue;
      }
      const [, mode, , after] = text.split(' ');
      id = mode?.startsWith('100') && after !== undefined && isSha(after) ? after : null;
    }
    await done;
  } finally {
    stop();
  }
}

/** Paths of those of the files, all of at most `maxBytes`, that new commits bring; by id. */
export async function introducedBlobs(
  repo: Repo,
  tips: readonly Sha[],
  ids: ReadonlySet<string>,
  maxBytes: number,
): Promise<Map<string, string>> {
  const filter = `--filter=blob:limit=${maxBytes + 1}`;
  const walk = ['rev-list', '--objects', filter, ...tips, ...NOT_YET, '--'];
  const { stdout, done, stop } = await streamGit(repo, walk, { work: 'heavy' });
  const found = new Map<string, string>();
  let rest = '';
  stdout.setEncoding('utf8');
  try {
    for await (const chunk of stdout as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (ids.has(line.slice(0, 40))) found.set(line.slice(0, 40), line.slice(41));
    }
    await done;
  } finally {
    stop();
  }
  return found;
}

/** The path of one new file with more bytes than `maxBytes`; null when there is none. */
export async function introducedLargeFile(repo: Repo, tips: readonly Sha[], maxBytes: number): Promise<string | null> {
  if (tips.length === 0) return null;
  const walk = (...more: string[]) => ['rev-list', '--objects', ...more, ...tips, ...NOT_YET, '--'];
  const filter = [`--filter=blob:limit=${maxBytes + 1}`, '--filter-print-omitted'];
  const filtered = await streamGit(repo, walk(...filter), { work: 'heavy' });
  const found = await firstLine(filtered, (line) => (line.startsWith('~') ? line.slice(1) : null));
  if (found === null) return null;
  const named = await streamGit(repo, walk(), { work: 'heavy' });
  return (await firstLine(named, (line) => (line.startsWith(`${found} `) ? line.slice(41) : null))) ?? found;
}

/** The first line that `pick` takes; the process ends with it. */
async function firstLine(
  { stdout, done, stop }: Awaited<ReturnType<typeof streamGit>>,
  pick: (line: string) => string | null,
): Promise<string | null> {
  let rest = '';
  stdout.setEncoding('utf8');
  try {
    for await (const chunk of stdout as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const found = pick(line);
        if (found !== null) return found;
      }
    }
    await done;
    return null;
  } finally {
    stop();
  }
}
