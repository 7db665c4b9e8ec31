/**
 * Kill points: a server, or a git that works for one, is killed at random moments of pushes, commits and merges.
 * Afterwards everything that was acknowledged is there, the next write is not blocked, the repository is sound, and the
 * database agrees with the refs.
 */
import { mkdirSync } from 'node:fs';
import { numbers } from '../../scripts/lib/numbers.ts';
import { git } from '../src/support/git.ts';
import { type Cluster, commit, createFile, createProject, type Member, type Project, startCluster } from './cluster.ts';
import { filesBelow, findRepository, killOneGit } from './machine.ts';
import { clone, committer, type Ledger, ledger, merger, pusher, type World } from './writers.ts';

export interface KillPoints {
  /** Kills by what was killed: `server`, or the command of git. */
  readonly kills: ReadonlyMap<string, number>;
  readonly acknowledged: number;
  /** Milliseconds from each start after a kill to its ready line. */
  readonly restarts: readonly number[];
  readonly failures: readonly string[];
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Asks until there is no complaint any more; the last one after a minute. What follows a fact comes shortly after it. */
async function settles(check: () => Promise<string | null>): Promise<string | null> {
  const end = performance.now() + 60_000;
  for (;;) {
    const complaint = await check();
    if (complaint === null || performance.now() > end) return complaint;
    await pause(50);
  }
}

interface Scene {
  readonly member: Member;
  readonly project: Project;
  /** The bare repository on disk. */
  readonly repository: string;
  readonly known: Ledger;
  readonly round: number;
}

const bare = (repository: string, ...args: string[]) => git(repository, '-c', 'safe.directory=*', ...args);

/** The next writes, of every kind, on branches that were being written: none may find a lock. */
async function writesGoOn({ member, project, round, known }: Scene): Promise<string[]> {
  const complaints: string[] = [];
  for (const branch of ['main', `api-${round}`, `push-${round}`]) {
    if (branch !== 'main' && !known.refs.has(`refs/heads/${branch}`)) continue;
    const begin = performance.now();
    await commit(member, project, branch, [createFile(`after/${round}-${branch}.txt`)]).catch((error: unknown) =>
      complaints.push(`next write to ${branch}: ${(error as Error).message}`),
    );
    const took = performance.now() - begin;
    // A lock that was left behind would be waited for in vain; a busy machine only needs longer.
    if (took > 20_000) complaints.push(`next write to ${branch} took ${Math.round(took)} ms`);
  }
  return complaints;
}

/** Acknowledged commits are in their refs. */
async function refsAreThere({ repository, known }: Scene): Promise<string[]> {
  const complaints: string[] = [];
  for (const [ref, sha] of known.refs)
    await bare(repository, 'merge-base', '--is-ancestor', sha, ref).catch(() =>
      complaints.push(`${ref} does not hold the acknowledged ${sha}`),
    );
  return complaints;
}

/** What the database says of pushes and merges is what the refs say. */
async function databaseAgrees({ member, project, repository, known, round }: Scene): Promise<string[]> {
  const complaints: (string | null)[] = [];
  const contains = (sha: string) =>
    bare(repository, 'merge-base', '--is-ancestor', sha, 'refs/heads/main').then(
      () => true,
      () => false,
    );
  for (const [iid, { source, merged }] of known.requests)
    complaints.push(
      await settles(async () => {
        const path = `${project.path}/merge_requests/${iid}`;
        const { state } = await member.api.expect<{ state: string }>(200, 'GET', path);
        const inside = await contains(source);
        if (merged && (!inside || state !== 'merged'))
          return `!${iid}: merge acknowledged, now ${state}, in main: ${inside}`;
        return (state === 'merged') === inside ? null : `!${iid} is ${state}, but in main: ${inside}`;
      }),
    );
  // The heads of the branches count even where the answer never came: the ref moved, so the fact has to be there.
  const patterns = ['push', 'api', 'pair'].map((kind) => `refs/heads/${kind}-${round}*`);
  const heads = (await bare(repository, 'for-each-ref', '--format=%(objectname)', ...patterns)).split('\n');
  for (const sha of new Set([...known.pushed, ...heads].filter(Boolean)))
    complaints.push(
      await settles(async () => {
        const found = await member.api.expect<unknown[]>(200, 'GET', `${project.path}/pipelines?sha=${sha}`);
        return found.length > 0 ? null : `the push of ${sha} has no pipeline`;
      }),
    );
  const listed = await member.api.expect<{ name: string; commit: { id: string } }[]>(
    200,
    'GET',
    `${project.path}/repository/branches?per_page=100&search=-${round}`,
  );
  const there = await bare(repository, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads');
  const expected = there.split('\n').filter((line) => line.split(' ')[0]?.includes(`-${round}`));
  const told = listed.map(({ name, commit: { id } }) => `${name} ${id}`);
  if (expected.length <= 100 && told.sort().join('\n') !== expected.sort().join('\n'))
    complaints.push(`listed are ${told.join(', ')}; there are ${expected.join(', ')}`);
  // An atomic push moved both of its branches or none.
  const names = new Map(expected.map((line) => line.split(' ') as [string, string]));
  for (const [name, id] of names)
    if (name.startsWith(`pair-${round}-`))
      await bare(repository, 'merge-base', '--is-ancestor', id, `refs/heads/push-${round}`).catch(async () => {
        const step = name.split('-')[2];
        if (names.get(`push-${round}-${step}`) !== id) complaints.push(`${name} is there without its other half`);
      });
  return complaints.filter((complaint) => complaint !== null);
}

async function isSound({ repository }: Scene): Promise<string[]> {
  // The next writes went on already. What maintenance left is cleared when it is repeated, a moment after the start.
  const locked = await settles(async () => {
    const locks = filesBelow(repository).filter((name) => name.endsWith('.lock'));
    return locks.length > 0 ? `${locks.join(', ')} left behind` : null;
  });
  const complaints = locked === null ? [] : [locked];
  await bare(repository, 'fsck', '--full', '--strict', '--no-dangling').catch((error: unknown) =>
    complaints.push((error as Error).message),
  );
  return complaints;
}

export interface KillPointOptions {
  readonly processes: 1 | 2;
  /** How many kills; of every four, one is a server. */
  readonly kills: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

/** Runs it; `print` gets a line per round. */
export async function killPoints(directory: string, options: KillPointOptions): Promise<KillPoints> {
  const random = numbers(options.seed);
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const cluster: Cluster = await startCluster(directory, options.processes);
  const [first] = cluster.members as [Member];
  const project = await createProject(first, 'kill-points');
  await commit(first, project, 'main', [createFile('.gitlab-ci.yml', 'job:\n  script: "true"\n')]);
  const repository = findRepository(cluster.repositories);
  const kills = new Map<string, number>();
  const restarts: number[] = [];
  const failures: string[] = [];
  let acknowledged = 0;
  let done = 0;
  const count = (what: string) => {
    kills.set(what, (kills.get(what) ?? 0) + 1);
    done++;
  };
  try {
    for (let round = 0; done < options.kills; round++) {
      const known = ledger();
      let going = true;
      let lastKill = Number.NEGATIVE_INFINITY;
      const world: World = {
        project,
        directory,
        ledger: known,
        goesOn: () => going,
        // What a killed git was to find out in the background may be missed a little later.
        disturbed: (since) => lastKill >= since - 3000,
      };
      const memberOf = (index: number) => cluster.members[index % cluster.members.length] ?? first;
      const pushing = memberOf(round);
      const work = await clone(world, pushing);
      const clients = [
        pusher(world, pushing, round, work),
        committer(world, memberOf(round + 1), round),
        merger(world, memberOf(random(2)), round),
      ];
      const killed: string[] = [];
      for (let git_ = 0; git_ < 3 && done < options.kills - 1; git_++) {
        await pause(20 + random(250));
        const end = performance.now() + 300;
        while (performance.now() < end) {
          const name = killOneGit(memberOf(random(2)).instance.pid, random);
          if (name) {
            lastKill = performance.now();
            killed.push(name);
            count(name);
            break;
          }
          await pause(1 + random(5));
        }
      }
      await pause(100 + random(600));
      const victim = memberOf(random(2));
      await victim.kill();
      killed.push(`server ${victim.index}`);
      count('server');
      // The other process goes on as if nothing had happened.
      if (cluster.members.length > 1) await pause(500);
      going = false;
      await Promise.all(clients);
      acknowledged += known.pushed.length + [...known.requests.values()].filter(({ merged }) => merged).length;
      await victim.restart();
      restarts.push(victim.instance.startMilliseconds);
      const scene = { member: memberOf(random(2)), project, repository, known, round };
      const complaints = [...known.refused, ...(await refsAreThere(scene)), ...(await writesGoOn(scene))];
      complaints.push(...(await databaseAgrees(scene)), ...(await isSound(scene)));
      failures.push(...complaints.map((complaint) => `round ${round + 1} (${killed.join(', ')}): ${complaint}`));
      options.print(
        `round ${round + 1} killed ${killed.join(', ')}: ${known.refs.size} refs acknowledged, ready again after ${Math.round(victim.instance.startMilliseconds)} ms, ${complaints.length === 0 ? 'all there' : complaints.join('; ')}`,
      );
    }
  } finally {
    await cluster.stop();
  }
  return { kills, acknowledged, restarts, failures };
}
