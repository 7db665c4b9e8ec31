/** For tests: temporary bare repositories, plain git next to them, and small random histories from a seed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGit, type Git, type GitOptions, openRepository, type Repo } from './context.ts';
import { initRepository } from './repository/lifecycle.ts';
import { repoPath, type Sha, shaFromGit } from './types.ts';

export interface Fixture {
  directory: string;
  git: Git;
  /** A new empty bare repository. */
  create(): Promise<Repo>;
  /** Runs the git command itself in a directory and gives its stdout. */
  plain(at: string, args: string[], input?: string | Buffer): string;
  /** Like plain, with the bytes. */
  bytes(at: string, args: string[], input?: string | Buffer): Buffer;
  close(): Promise<void>;
}

const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ann Author',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Cid Committer',
  GIT_COMMITTER_EMAIL: 'cid@example.org',
  GIT_TERMINAL_PROMPT: '0',
};

export function createFixture(options: GitOptions = {}): Fixture {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-git-test-'));
  const git = createGit(options);
  let count = 0;

  function bytes(at: string, args: string[], input?: string | Buffer): Buffer {
    return execFileSync('git', args, {
      cwd: at,
      env: ENVIRONMENT,
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  }

  return {
    directory,
    git,
    async create() {
      count += 1;
      const path = repoPath(join(directory, `${count}.git`));
      await initRepository(path);
      return openRepository(git, path);
    },
    bytes,
    plain: (at, args, input) => bytes(at, args, input).toString('utf8'),
    async close() {
      await git.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** mulberry32: the same seed gives the same history on every machine. */
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const PATHS = [
  'README.md',
  'src/a.ts',
  'src/b.ts',
  'src/deep/er/c.ts',
  'docs/ü nicode.md',
  'docs/"quoted"\tname',
  'bin/run',
  'z',
];

/** Fills a repository through fast-import: branches, merges, renames, deletions, odd names; returns the tips. */
export function randomHistory(fixture: Fixture, repo: Repo, seed: number, commits = 40): Sha[] {
  const next = random(seed);
  const lines: string[] = [];
  const branches = ['main', 'feature/one', 'two'];
  const tips = new Map<string, { mark: number; files: Set<string> }>();
  const quote = (path: string) => `"${path.replace(/["\\]/g, '\\$&').replace(/\t/g, '\\t').replace(/\n/g, '\\n')}"`;
  const data = (text: string) => lines.push(`data ${Buffer.byteLength(text)}`, text);
  for (let mark = 1; mark <= commits; mark += 1) {
    const branch = branches[mark === 1 ? 0 : next(branches.length)] as string;
    const other = branches[next(branches.length)] as string;
    const from = tips.get(branch) ?? tips.get('main');
    const merged = next(5) === 0 && other !== branch ? tips.get(other) : undefined;
    const when = 1_700_000_000 + Math.floor(mark / 3) * 60 + next(90);
    lines.push(`commit refs/heads/${branch}`, `mark :${mark}`);
    lines.push(
      `author Ann <ann@example.org> ${when} +0${next(10)}30`,
      `committer Cid <cid@example.org> ${when} -0${next(10)}00`,
    );
    data(`Change ${mark}\n\nBecause of ${next(1000)}.\n\nSigned-off-by: Ann <ann@example.org>\n`);
    if (from) lines.push(`from :${from.mark}`);
    if (merged && merged !== from) lines.push(`merge :${merged.mark}`);
    const files = new Set(from?.files);
    for (let change = 1 + next(3); change > 0; change -= 1) {
      const path = PATHS[next(PATHS.length)] as string;
      const roll = next(8);
      if (roll === 0 && files.size > 1 && files.has(path)) {
        lines.push(`D ${quote(path)}`);
        files.delete(path);
      } else if (roll === 1 && files.has(path) && !files.has(`moved/${path}`)) {
        lines.push(`R ${quote(path)} ${quote(`moved/${path}`)}`);
        files.delete(path);
        files.add(`moved/${path}`);
      } else {
        lines.push(`M ${roll === 2 ? '100755' : '100644'} inline ${quote(path)}`);
        data(Array.from({ length: 5 + next(30) }, () => `line ${next(50)}`).join('\n') + (roll === 3 ? '' : '\n'));
        files.add(path);
      }
    }
    tips.set(branch, { mark, files });
  }
  lines.push(
    'reset refs/tags/light',
    'from :1',
    'tag v1.0',
    'from :2',
    'tagger Tim <tim@example.org> 1700000500 +0200',
  );
  data('The first release\n');
  lines.push('done', '');
  fixture.plain(repo.path, ['fast-import', '--quiet', '--done'], lines.join('\n'));
  return fixture
    .plain(repo.path, ['for-each-ref', '--format=%(objectname)', 'refs/heads'])
    .trim()
    .split('\n')
    .map(shaFromGit);
}
