/**
 * Kill points: the server is killed at random moments of pushes, commits and merges. Afterwards everything that was
 * acknowledged is there, the next write is not blocked, the repository is sound, and the database agrees with the refs.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { numbers } from '../data.ts';
import { quantile } from '../load.ts';
import { git, type Instance, startInstance, token } from '../process.ts';
import { connect, createProject, type Project, type Target } from '../target.ts';
import { clone, committer, type Ledger, ledger, merger, pusher, type World } from './writers.ts';

export interface KillPoints {
  readonly kills: number;
  readonly acknowledged: number;
  /** Operations that were waiting for an answer when the server died, by name. */
  readonly interrupted: Map<string, number>;
  /** Milliseconds from each start after a kill to its ready line. */
  readonly restarts: readonly number[];
  readonly failures: string[];
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Asks until there is no complaint any more; the last one after ten seconds. What follows a fact comes shortly after it. */
async function settles(check: () => Promise<string | null>): Promise<string | null> {
  const end = performance.now() + 10_000;
  for (;;) {
    const complaint = await check();
    if (complaint === null || performance.now() > end) return complaint;
    await pause(50);
  }
}

function findRepository(directory: string): string {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (!statSync(path).isDirectory()) continue;
    if (name.endsWith('.git')) return path;
    const below = findRepository(path);
    if (below) return below;
  }
  return '';
}

function locksBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
}

interface Scene {
  readonly target: Target;
  readonly project: Project;
  /** The bare repository on disk. */
  readonly repository: string;
  readonly known: Ledger;
  readonly round: number;
}

/** The next writes, of every kind, on branches that were being written: none may find a lock. */
async function writesGoOn({ target, project, round, known }: Scene): Promise<string[]> {
  const complaints: string[] = [];
  // Any write settles what the dead writer left: the one to main comes first and always.
  for (const branch of ['main', `api-${round}`]) {
    if (branch !== 'main' && !known.refs.has(`refs/heads/${branch}`)) continue;
    const begin = performance.now();
    await target
      .call('POST', `${project.api}/repository/commits`, {
        branch,
        commit_message: 'After the crash',
        actions: [{ action: 'create', file_path: `after/${round}-${branch}.txt`, content: 'here\n' }],
      })
      .catch((error: unknown) => complaints.push(`next write to ${branch}: ${(error as Error).message}`));
    const took = performance.now() - begin;
    if (took > 5000) complaints.push(`next write to ${branch} took ${Math.round(took)} ms`);
  }
  return complaints;
}

/** Acknowledged commits are in their refs. */
async function refsAreThere({ repository, known }: Scene): Promise<string[]> {
  const complaints: string[] = [];
  for (const [ref, sha] of known.refs)
    await git(repository, ['merge-base', '--is-ancestor', sha, ref]).catch(() =>
      complaints.push(`${ref} does not hold the acknowledged ${sha}`),
    );
  return complaints;
}

/** What the database says of pushes and merges is what the refs say. */
async function databaseAgrees({ target, project, repository, known, round }: Scene): Promise<string[]> {
  const complaints: (string | null)[] = [];
  const contains = (sha: string) =>
    git(repository, ['merge-base', '--is-ancestor', sha, 'refs/heads/main']).then(
      () => true,
      () => false,
    );
  for (const [iid, { source, merged }] of known.requests)
    complaints.push(
      await settles(async () => {
        const { state } = await target.call<{ state: string }>('GET', `${project.api}/merge_requests/${iid}`);
        const inside = await contains(source);
        if (merged && (!inside || state !== 'merged'))
          return `!${iid}: merge acknowledged, now ${state}, in main: ${inside}`;
        return (state === 'merged') === inside ? null : `!${iid} is ${state}, but in main: ${inside}`;
      }),
    );
  // The heads of the branches count even where the answer never came: the ref moved, so the fact has to be there.
  const heads = (
    await git(repository, [
      'for-each-ref',
      '--format=%(objectname)',
      `refs/heads/push-${round}*`,
      `refs/heads/api-${round}`,
    ])
  ).split('\n');
  for (const sha of new Set([...known.pushed, ...heads].filter(Boolean)))
    complaints.push(
      await settles(async () => {
        const found = await target.call<unknown[]>('GET', `${project.api}/pipelines?sha=${sha}`);
        return found.length > 0 ? null : `the push of ${sha} has no pipeline`;
      }),
    );
  const { length: listed } = await target.call<unknown[]>(
    'GET',
    `${project.api}/repository/branches?per_page=100&search=-${round}`,
  );
  const there = (await git(repository, ['for-each-ref', '--format=%(refname:short)', 'refs/heads'])).split('\n');
  const expected = Math.min(100, there.filter((name) => name.includes(`-${round}`)).length);
  if (listed !== expected) complaints.push(`${listed} branches are listed, ${expected} are there`);
  return complaints.filter((complaint) => complaint !== null);
}

async function isSound({ repository }: Scene): Promise<string[]> {
  const complaints = locksBelow(repository).map((name) => `${name} was left behind`);
  await git(repository, ['-c', 'safe.directory=*', 'fsck', '--full', '--strict', '--no-dangling']).catch(
    (error: unknown) => complaints.push((error as Error).message),
  );
  return complaints;
}

/** Runs it; `print` gets a line per kill. */
export async function killPoints(
  directory: string,
  kills: number,
  seed: number,
  print: (line: string) => void,
): Promise<KillPoints> {
  const below = numbers(seed);
  const data = join(directory, 'kill-points');
  mkdirSync(data, { recursive: true });
  const env = { MILLRACE_RUNNER: 'off' };
  let instance: Instance = await startInstance(data, env);
  const started = connect('ours', instance.url, token);
  const first = await createProject(started, 'kill-points');
  await started.call('POST', `${first.api}/repository/commits`, {
    branch: 'main',
    commit_message: 'Start',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'job:\n  script: "true"\n' }],
  });
  const repository = findRepository(join(data, 'millrace/repositories'));
  const interrupted = new Map<string, number>();
  const restarts: number[] = [];
  const failures: string[] = [];
  let acknowledged = 0;
  try {
    for (let round = 0; round < kills; round++) {
      const target = connect('ours', instance.url, token);
      const remote = new URL(new URL(first.remote).pathname, instance.url);
      remote.username = 'oauth2';
      remote.password = token;
      const project = { ...first, remote: remote.href };
      let alive = true;
      const known = ledger();
      const world: World = { target, project, directory: data, ledger: known, alive: () => alive };
      const work = await clone(world);
      const clients = [pusher(world, round, work), committer(world, round), merger(world, round)];
      await pause(150 + below(900));
      alive = false;
      const open = [...known.open];
      await instance.kill();
      await Promise.all(clients);
      for (const name of open) interrupted.set(name, (interrupted.get(name) ?? 0) + 1);
      acknowledged += known.pushed.length + [...known.requests.values()].filter(({ merged }) => merged).length;

      instance = await startInstance(data, env);
      restarts.push(instance.ready);
      const scene = { target: connect('ours', instance.url, token), project, repository, known, round };
      const complaints = [...known.refused, ...(await refsAreThere(scene)), ...(await writesGoOn(scene))];
      complaints.push(...(await databaseAgrees(scene)), ...(await isSound(scene)));
      failures.push(...complaints.map((complaint) => `kill ${round + 1}: ${complaint}`));
      print(
        `kill ${round + 1}/${kills} during ${open.join(', ') || 'nothing'}: ${known.refs.size} refs acknowledged, ready again after ${Math.round(instance.ready)} ms, ${complaints.length === 0 ? 'all there' : complaints.join('; ')}`,
      );
    }
  } finally {
    await instance.stop();
  }
  return { kills, acknowledged, interrupted, restarts, failures };
}

/** The result as lines of a report. */
export function killPointLines(result: KillPoints): string[] {
  const open = [...result.interrupted].map(([name, count]) => `${name} ${count}`).join(', ');
  return [
    `${result.kills} kills (SIGKILL) during pushes, commits and merges by three clients at once`,
    `${result.acknowledged} acknowledged writes; operations that waited for an answer at the kill: ${open}`,
    `ready again after p50 ${Math.round(quantile(result.restarts, 0.5))} ms, at most ${Math.round(Math.max(...result.restarts))} ms`,
    'checked after each: acknowledged commits are in their refs; the next writes succeed; merge requests and pipelines agree with the refs; no lock files; git fsck',
    ...(result.failures.length === 0 ? ['no failures'] : result.failures.map((failure) => `FAILED: ${failure}`)),
  ];
}
