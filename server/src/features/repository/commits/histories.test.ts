/**
 * Random histories: what the API answers of commits, differences, trees and merges is what git itself says. `npm run
 * test:long -- --only histories` does 300 of them; MILLRACE_HISTORIES and MILLRACE_SEED choose others.
 */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { branches, type Next, pick, plainPaths, randomHistory, seeded } from '../../../../test/histories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

const firstSeed = Number(process.env.MILLRACE_SEED ?? 1);
const many = Number(process.env.MILLRACE_HISTORIES ?? 1);
/** The last one has clocks that went backwards, and lost a commit of a symmetric range once. */
const seeds = [...Array.from({ length: many }, (_, at) => firstSeed + at), 1261];
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

let app: TestApp;
let client: GitClient;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  client = await gitClient();
  owner = await buildToken(app);
});
afterAll(async () => {
  await client.close();
  await app.close();
});

interface World {
  readonly name: string;
  readonly project: RepositoryProject;
  readonly next: Next;
  readonly commits: readonly string[];
  /** What git itself prints in the clone. */
  git(...args: readonly string[]): Buffer;
  lines(...args: readonly string[]): string[];
  get<T = Json>(path: string, query?: Json): Promise<T>;
}

/** As people configure nothing, and take paths as they are. */
const environment = {
  PATH: process.env.PATH ?? '',
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_AUTHOR_NAME: 'G',
  GIT_AUTHOR_EMAIL: 'g@example.org',
  GIT_COMMITTER_NAME: 'G',
  GIT_COMMITTER_EMAIL: 'g@example.org',
};

async function world(seed: number): Promise<World> {
  const name = `history-${seed}`;
  await client.run(['init', '-q', name]);
  const cwd = `${client.directory}/${name}`;
  const run = (args: readonly string[], input?: Buffer) => {
    const done = spawnSync('git', [...args], { cwd, env: environment, input, maxBuffer: 2 ** 27 });
    if (done.status !== 0 && done.status !== 1) throw new Error(`git ${args.join(' ')}: ${done.stderr.toString()}`);
    return done.stdout;
  };
  const next = seeded(seed * 7919);
  run(['fast-import', '--quiet', '--done'], randomHistory(seed, 15 + next(25)));
  const project = await buildRepositoryProject(app, { owner, files: null });
  await client.run(['push', '-q', project.remote(owner.secret), '--all'], name);
  await client.run(['push', '-q', project.remote(owner.secret), '--tags'], name);
  const lines = (...args: readonly string[]) => run(args).toString().split('\n').filter(Boolean);
  return {
    name,
    project,
    next,
    commits: lines('rev-list', '--all'),
    git: (...args) => run(args),
    lines,
    async get(path, query = {}) {
      const answer = await project.api(`GET`, path, { query });
      if (answer.status !== 200)
        throw new Error(`${path} ${JSON.stringify(query)}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as never;
    },
  };
}

/** Lists by random parameters. */
async function lists({ next, lines, get, commits }: World): Promise<void> {
  const name = () => pick(next, [...branches, 'light', 'v1.0', pick(next, commits)]);
  const full = (ref: string) => ((branches as readonly string[]).includes(ref) ? `refs/heads/${ref}` : ref);
  for (let round = 0; round < 12; round += 1) {
    const query: Json = { per_page: 1 + next(30), page: 1 + next(2) };
    const args: string[] = [];
    const revisions: string[] = [];
    const [a, b] = [name(), name()];
    const follow = next(4) === 0;
    switch (next(5)) {
      case 0:
        query.all = true;
        revisions.push('--all');
        break;
      case 1:
        query.ref_name = `${a}..${b}`;
        revisions.push(full(b), `^${full(a)}`);
        break;
      case 2:
        query.ref_name = `${a}...${b}`;
        revisions.push(`${full(a)}...${full(b)}`);
        break;
      case 3:
        query.ref_name = a;
        revisions.push(full(a));
        break;
      default:
        revisions.push('refs/heads/main');
    }
    if (next(3) === 0) {
      query.author = pick(next, ['ann', 'bea@example', 'J\u00fcrgen', 'Nobody', 'Zo\u00eb']);
      args.push('-i', '--fixed-strings', `--author=${query.author}`);
    }
    if (next(4) === 0) {
      const since = 1_700_000_000 + next(400);
      query.since = new Date(since * 1000).toISOString();
      args.push(`--since=@${since}`);
    }
    if (next(4) === 0) {
      const until = 1_700_000_000 + next(800);
      query.until = new Date(until * 1000).toISOString();
      args.push(`--until=@${until}`);
    }
    if (next(3) === 0) {
      query.first_parent = true;
      args.push('--first-parent');
    }
    if (next(3) === 0) {
      query.order = 'topo';
      args.push('--topo-order');
    }
    const path = pick(next, [...plainPaths, 'src', 'moved/src/a.ts', 'nothing', undefined, undefined, undefined]);
    if (path !== undefined) query.path = path;
    if (path !== undefined && follow) {
      query.follow = true;
      args.push('--follow');
    }
    const end = path === undefined ? ['--'] : ['--', path];
    const expected = lines('log', '--format=%H', '--no-mailmap', ...args, ...revisions, ...end);
    const [page, size] = [Number(query.page), Number(query.per_page)];
    const found = await get<Json[]>('/repository/commits', query);
    expect([query, found.map(({ id }) => id)]).toEqual([query, expected.slice((page - 1) * size, page * size)]);
  }
}

const field = (bytes: Buffer) => bytes.toString('utf8');

/** Patches by the order of files: everything from the first hunk on. */
function hunks(text: string): string[] {
  const files = text.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  return files.map((part) => {
    const at = part.search(/^(@@|Binary files) /m);
    return at < 0 ? '' : part.slice(at);
  });
}

async function single({ next, git, lines, get, commits }: World): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    const sha = pick(next, commits);
    const format = '%P%x00%an%x00%ae%x00%cn%x00%ce%x00%at%x00%ct%x00%s%x00%B';
    const [parents = '', an, ae, cn, ce, at, ct, title, body = ''] = field(
      git('log', '-1', '--no-mailmap', '--encoding=UTF-8', `--format=${format}`, sha),
    ).split('\0');
    const commit = await get(`/repository/commits/${sha}`);
    const seconds = (date: unknown) => String(Date.parse(String(date)) / 1000);
    expect([sha, commit.parent_ids, commit.author_name, commit.author_email]).toEqual([
      ...[sha, parents.split(' ').filter(Boolean), an, ae],
    ]);
    expect([commit.committer_name, commit.committer_email, seconds(commit.authored_date)]).toEqual([cn, ce, at]);
    expect([seconds(commit.committed_date), commit.title]).toEqual([ct, title?.trim()]);
    expect(String(commit.message).trimEnd()).toBe(body.trimEnd());
    const parent = parents.split(' ')[0] || emptyTree;
    const counts = git('diff-tree', '-r', '-M', '--numstat', '-z', parent, sha);
    const stat = numstat(field(counts));
    expect([sha, commit.stats]).toEqual([sha, { ...stat, total: stat.additions + stat.deletions }]);
    const raw = field(git('diff-tree', '-r', '--raw', '-z', '--find-renames=30%', '--full-index', parent, sha));
    const patch = field(
      git('-c', 'core.quotepath=false', 'diff-tree', '-r', '-p', '--full-index', '--find-renames=30%', parent, sha),
    );
    const diff = await get<Json[]>(`/repository/commits/${sha}/diff`, { per_page: 100 });
    expect([sha, diff.map((file) => [file.a_mode, file.b_mode, file.old_path, file.new_path])]).toEqual([
      sha,
      rawFiles(raw),
    ]);
    expect([sha, diff.map((file) => file.diff)]).toEqual([sha, hunks(patch)]);
    const refs = await get<Json[]>(`/repository/commits/${sha}/refs`, { per_page: 100 });
    expect(refs.map(({ type, name }) => `refs/${type === 'branch' ? 'heads' : 'tags'}/${name}`)).toEqual(
      lines('for-each-ref', '--format=%(refname)', `--contains=${sha}`, 'refs/heads', 'refs/tags'),
    );
  }
}

function numstat(text: string): { additions: number; deletions: number } {
  const fields = text.split('\0');
  const sum = { additions: 0, deletions: 0 };
  for (let at = 0; at < fields.length; at += 1) {
    const [, added, removed, path] = /^([^\t]*)\t([^\t]*)\t(.*)$/s.exec(fields[at] ?? '') ?? [];
    sum.additions += Number(added) || 0;
    sum.deletions += Number(removed) || 0;
    if (path === '') at += 2;
  }
  return sum;
}

/** `:mode mode id id status NUL path NUL`, with two paths for renames. */
function rawFiles(text: string): string[][] {
  const fields = text.split('\0');
  const files: string[][] = [];
  for (let at = 0; fields[at]?.startsWith(':'); ) {
    const [before = '', after = '', , , status = ''] = (fields[at] ?? '').slice(1).split(' ');
    const [old = '', renamed = ''] = [fields[at + 1], fields[at + 2]];
    const moved = /^[RC]/.test(status);
    const mode = (text: string) => text.replace(/^0+$/, '0');
    // A file that becomes a link goes and comes.
    if (status === 'T') files.push([mode(before), '0', old, old], ['0', mode(after), old, old]);
    else files.push([mode(before), mode(after), old, moved ? renamed : old]);
    at += moved ? 3 : 2;
  }
  return files;
}

async function trees({ next, git, get, commits }: World): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    const sha = pick(next, commits);
    const expected = field(git('ls-tree', '-r', '-t', '-z', sha))
      .split('\0')
      .filter(Boolean)
      .map((line) => /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line)?.slice(1) ?? []);
    const items = await get<Json[]>('/repository/tree', { ref: sha, recursive: true, per_page: 100 });
    const told = items.map(({ mode, type, id, path }) => [mode, type, id, path] as string[]);
    const order = (rows: readonly string[][]) => rows.map((row) => row.join(' ')).toSorted();
    expect([sha, order(told)]).toEqual([sha, order(expected)]);
  }
}

async function relations({ next, lines, get, commits }: World): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const [from, to] = [pick(next, commits), pick(next, commits)];
    const [base] = lines('merge-base', '--octopus', from, to);
    if (base)
      expect([from, to, (await get('/repository/merge_base', { refs: [from, to] })).id]).toEqual([from, to, base]);
    const compare = await get('/repository/compare', { from, to });
    expect((compare.commits as Json[]).map(({ id }) => id)).toEqual(lines('rev-list', '--reverse', `${from}..${to}`));
    const sequence = await get(`/repository/commits/${to}/sequence`);
    expect(sequence.count).toBe(Number(lines('rev-list', '--count', to)[0]));
  }
}

/** What the API makes of commits put on, taken back from and merged into branches: the trees that git makes in a work tree. */
async function merges({ name, project, next, git, lines, commits }: World): Promise<void> {
  const results: [branch: string, tree: string][] = [];
  const inTree = (...args: readonly string[]) => {
    const { status } = spawnSync('git', [...args], { cwd: `${client.directory}/${name}`, env: environment });
    return status === 0;
  };
  for (let round = 0; round < 4; round += 1) {
    const [sha, onto] = [pick(next, commits), pick(next, commits)];
    const parents = lines('log', '-1', '--format=%P', sha).join(' ').split(' ').filter(Boolean);
    const kind = pick(next, ['cherry_pick', 'revert', 'merge'] as const);
    if (kind === 'revert' && parents.length === 0) continue;
    const branch = `onto-${round}`;
    const made = await project.api('POST', '/repository/branches', { json: { branch, ref: onto } });
    expect(made.status).toBe(201);
    git('checkout', '-q', '-f', '--detach', onto);
    git('clean', '-q', '-f', '-f', '-d', '-x');
    const before = lines('rev-parse', 'HEAD^{tree}')[0];
    const mainline = parents.length > 1 ? ['-m', '1'] : [];
    const worked =
      kind === 'merge'
        ? inTree('merge', '-q', '--no-ff', '--allow-unrelated-histories', '-m', 'x', sha)
        : kind === 'revert'
          ? inTree('revert', '--no-edit', ...mainline, sha)
          : inTree('cherry-pick', '--allow-empty', '--no-edit', ...mainline, sha);
    const clean = worked || lines('diff', '--name-only', '--diff-filter=U').length === 0;
    const tree = clean ? lines('write-tree')[0] : undefined;
    for (const ending of ['merge', 'cherry-pick', 'revert']) inTree(ending, '--abort');
    const expected = !clean ? 'conflict' : tree === before ? 'empty' : 'done';
    if (kind === 'merge') {
      const source = `from-${round}`;
      await project.api('POST', '/repository/branches', { json: { branch: source, ref: sha } });
      const json = { source_branch: source, target_branch: branch, title: 'x' };
      const request = await project.api('POST', '/merge_requests', { json });
      expect(request.status).toBe(201);
      const done = await project.api('PUT', `/merge_requests/${request.body.iid}/merge`, { json: {} });
      if (inTree('merge-base', '--is-ancestor', sha, onto)) continue;
      expect([kind, sha, onto, done.status === 200 ? 'done' : 'conflict']).toEqual([
        ...[kind, sha, onto, expected === 'empty' ? 'done' : expected],
      ]);
      if (done.status === 200) results.push([branch, tree ?? '']);
      continue;
    }
    const answer = await project.api('POST', `/repository/commits/${sha}/${kind}`, { json: { branch } });
    const outcome = answer.status === 201 ? 'done' : answer.body.error_code;
    expect([kind, sha, onto, outcome]).toEqual([kind, sha, onto, expected]);
    if (answer.status === 201) results.push([branch, tree ?? '']);
  }
  if (results.length === 0) return;
  await client.run(['fetch', '-q', project.remote(owner.secret), '+refs/heads/onto-*:refs/made/onto-*'], name);
  expect(results.map(([branch]) => [branch, lines('rev-parse', `refs/made/${branch}^{tree}`)[0]])).toEqual(results);
}

/** The message, and for a comparison both sides. */
function told(error: Error & { readonly actual?: unknown; readonly expected?: unknown }): string {
  const { actual, expected } = error;
  return expected === undefined ? error.message : `${JSON.stringify(actual)}\ninstead of ${JSON.stringify(expected)}`;
}

it(
  `${seeds.length} random histories: lists, differences, stats, trees, refs, relations and merges equal git's`,
  async () => {
    const wrong: string[] = [];
    for (const seed of seeds) {
      const made = await world(seed);
      for (const check of [lists, single, trees, relations, merges])
        await check(made).catch((error: Error) => wrong.push(`seed ${seed}, ${check.name}: ${told(error)}`));
      await rm(`${client.directory}/${made.name}`, { recursive: true, force: true });
      if (wrong.length > 20) break;
    }
    expect(wrong.join('\n\n')).toBe('');
  },
  Math.max(30_000, seeds.length * 20_000),
);
