/** The checkout that a person works in, uncommitted changes included. Reads it, and writes nothing into its repository. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export interface WorkTree {
  /** Its top folder. */
  readonly root: string;
  /** The commit that is checked out. */
  readonly sha: string;
  /** Null when no branch is checked out. */
  readonly branch: string | null;
  /** The branch that the remote `origin` starts with; null when that is not known. */
  readonly defaultBranch: string | null;
  /** Address of `origin`. */
  readonly remote: string | null;
  /** Author, title and message of the commit. */
  readonly commit: { readonly author: string; readonly title: string; readonly message: string; readonly date: string };
  /** Files that are tracked or new, without ignored and deleted ones. */
  paths(): Promise<string[]>;
  /** What differs from the last common commit with a revision; null when there is no such revision. */
  changedSince(revision: string): Promise<string[] | null>;
  /** The commit that changed a file last; null for a file that is in none. */
  lastCommitOf(path: string): Promise<string | null>;
  /** A commit of everything as it is now, in a bare repository of its own. */
  snapshot(branch: string): Promise<WorkTreeSnapshot>;
}

export interface WorkTreeSnapshot {
  readonly repository: string;
  readonly sha: string;
  /** Creates a branch of it in a repository that is reached over HTTP. */
  push(url: string, branch: string, how: PushOptions): Promise<void>;
  remove(): Promise<void>;
}

interface PushOptions {
  /** An access token that may push. */
  readonly token: string;
  /** Push options, as of `git push -o`. */
  readonly options: readonly string[];
}

export interface WorkTreeOptions {
  /** PATH and HOME of the person. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const mostBytes = 256 * 1024 * 1024;
const run = promisify(execFile);

type Place = Pick<WorkTree, 'root' | 'branch' | 'defaultBranch'>;

/** Where the checkout is and on which branch, from one process: to start one costs more than what it does. */
async function placeOf(git: (args: string[]) => Promise<{ stdout: string }>): Promise<Place | null> {
  const [head, origin] = ['refs/heads/', 'refs/remotes/origin/'];
  const args = ['rev-parse', '--symbolic-full-name', 'HEAD', '--show-toplevel', `${origin}HEAD`];
  // It fails where the branch of origin is not known, with what it found before that, and the last argument as it is.
  const answer = await git(args).then(
    ({ stdout }) => ({ stdout, complete: true }),
    ({ stdout }: { stdout?: string }) => ({ stdout: stdout ?? '', complete: false }),
  );
  const [name = '', ...rest] = answer.stdout.replace(/\n$/, '').split('\n');
  const last = rest.pop();
  const known = answer.complete ? last : undefined;
  const root = rest.join('\n');
  if (!root) return null;
  return {
    root,
    branch: name.startsWith(head) ? name.slice(head.length) : null,
    defaultBranch: known?.startsWith(origin) ? known.slice(origin.length) : null,
  };
}

/** Null outside of a repository, and in one without commits. */
export async function openWorkTree(directory: string, { env }: WorkTreeOptions): Promise<WorkTree | null> {
  const own = { PATH: env.PATH ?? '', HOME: env.HOME ?? '', LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };
  let cwd = resolve(directory);
  const git = async (args: readonly string[], more: Record<string, string> = {}): Promise<string> => {
    const { stdout } = await run('git', [...args], { cwd, env: { ...own, ...more }, maxBuffer: mostBytes });
    return stdout;
  };
  const ask = async (...args: string[]): Promise<string | null> => {
    try {
      return (await git(args)).trim() || null;
    } catch {
      return null;
    }
  };
  const names = (text: string): string[] => text.split('\0').filter(Boolean);

  const [place, commit, remote] = await Promise.all([
    placeOf((args) => run('git', args, { cwd, env: own })),
    ask('log', '-1', '--no-show-signature', '--format=%H%n%an <%ae>%n%cI%n%B'),
    ask('remote', 'get-url', 'origin'),
  ]);
  if (place === null || commit === null) return null;
  const { root, branch, defaultBranch } = place;
  cwd = root;
  const [sha = '', author = '', date = '', title = '', ...rest] = commit.split('\n');

  async function paths(): Promise<string[]> {
    const all = names(await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard']));
    const deleted = new Set(names(await git(['ls-files', '-z', '--deleted'])));
    return [...new Set(all)].filter((path) => !deleted.has(path));
  }

  async function changedSince(revision: string): Promise<string[] | null> {
    const id = await ask('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`);
    const base = id && (await ask('merge-base', id, 'HEAD'));
    if (!base) return null;
    const tracked = names(await git(['diff', '--name-only', '-z', '--no-renames', base, '--']));
    return [...new Set([...tracked, ...names(await git(['ls-files', '-z', '--others', '--exclude-standard']))])];
  }

  const lastCommitOf = (path: string): Promise<string | null> =>
    ask('--literal-pathspecs', 'log', '-1', '--format=%H', sha, '--', path);

  async function snapshot(branch: string): Promise<WorkTreeSnapshot> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-snapshot-'));
    const repository = join(folder, 'repository.git');
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      const path = async (name: string) => resolve(cwd, (await git(['rev-parse', '--git-path', name])).trim());
      const objects = await path('objects');
      await git(['init', '-q', '--bare', '--template=', repository]);
      await mkdir(join(repository, 'objects', 'info'), { recursive: true });
      await writeFile(join(repository, 'objects', 'info', 'alternates'), `${objects}\n`);
      const index = join(folder, 'index');
      // With what git knows of the files, so that only those that changed are read.
      await copyFile(await path('index'), index).catch(() => undefined);
      const at = {
        GIT_INDEX_FILE: index,
        GIT_OBJECT_DIRECTORY: join(repository, 'objects'),
        GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
        GIT_AUTHOR_NAME: 'Millrace',
        GIT_AUTHOR_EMAIL: 'millrace@localhost',
        GIT_COMMITTER_NAME: 'Millrace',
        GIT_COMMITTER_EMAIL: 'millrace@localhost',
      };
      await git(['add', '--all', '--', '.'], at);
      const tree = (await git(['write-tree'], at)).trim();
      const made = (await git(['commit-tree', tree, '-p', sha, '-m', title || 'Working tree'], at)).trim();
      await git(['--git-dir', repository, 'update-ref', `refs/heads/${branch}`, made]);
      const push: WorkTreeSnapshot['push'] = async (url, name, { token, options }) => {
        const given = options.flatMap((option) => ['--push-option', option]);
        const target = `${made}:refs/heads/${name}`;
        // Not as an argument, which others on the machine could read.
        const header = `Authorization: Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}`;
        await git(['--git-dir', repository, 'push', '--quiet', ...given, '--', url, target], {
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'http.extraHeader',
          GIT_CONFIG_VALUE_0: header,
        });
      };
      return { repository, sha: made, push, remove };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  return {
    root,
    sha,
    branch,
    defaultBranch,
    remote,
    commit: { author, date, title, message: [title, ...rest].join('\n').trimEnd() },
    paths,
    changedSince,
    lastCommitOf,
    snapshot,
  };
}
