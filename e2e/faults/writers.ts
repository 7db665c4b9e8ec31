/** Clients that write without a pause, each on branches of its own, and remember what was acknowledged to them. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../src/support/git.ts';
import { commit, createFile, type Member, type Project } from './cluster.ts';

/** What clients were told, and what they were waiting for when something died. */
export interface Ledger {
  /** Full ref -> the last acknowledged commit. */
  readonly refs: Map<string, string>;
  /** Commits whose write was acknowledged: each has its pipeline. */
  readonly pushed: string[];
  /** Merge requests -> whether the merge was acknowledged. */
  readonly requests: Map<number, { readonly source: string; readonly merged: boolean }>;
  /** Refusals of a server that lived, with every git that worked for it: there must be none. */
  readonly refused: string[];
}

export const ledger = (): Ledger => ({ refs: new Map(), pushed: [], requests: new Map(), refused: [] });

export interface World {
  readonly project: Project;
  readonly directory: string;
  readonly ledger: Ledger;
  /** False once the round is over. */
  goesOn(): boolean;
  /** Whether something was killed that an operation which began at this time may have needed. */
  disturbed(since: number): boolean;
}

/** Does one operation; false when it failed. */
async function attempt(world: World, member: Member, name: string, work: () => Promise<void>): Promise<boolean> {
  const since = performance.now();
  try {
    await work();
    return true;
  } catch (error) {
    if (member.up && !world.disturbed(since))
      world.ledger.refused.push(`${name} by process ${member.index}: ${(error as Error).message.slice(0, 400)}`);
    return false;
  }
}

/** A clone to push from; made before the clock runs. */
export async function clone(world: World, member: Member): Promise<string> {
  const directory = mkdtempSync(join(world.directory, 'push-'));
  await git(directory, 'clone', '--quiet', world.project.remote(member), 'work');
  return join(directory, 'work');
}

/** Pushes one commit after the other to one branch, new branches in between, two at once and atomic now and then. */
export async function pusher(world: World, member: Member, round: number, work: string): Promise<void> {
  for (let step = 0; world.goesOn() && member.up; step++) {
    const branch = step % 3 === 2 ? `push-${round}-${step}` : `push-${round}`;
    writeFileSync(join(work, `pushed-${round}.txt`), `${step}\n`);
    await git(work, 'add', '.');
    await git(work, 'commit', '--quiet', '-m', `Push ${round}.${step}`);
    const sha = await git(work, 'rev-parse', 'HEAD');
    const refs = step % 4 === 3 ? [branch, `pair-${round}-${step}`] : [branch];
    const specs = refs.map((name) => `HEAD:refs/heads/${name}`);
    const flags = refs.length > 1 ? ['--atomic'] : [];
    await attempt(world, member, 'push', async () => {
      await git(work, 'push', '--quiet', ...flags, world.project.remote(member), ...specs);
      for (const name of refs) world.ledger.refs.set(`refs/heads/${name}`, sha);
      world.ledger.pushed.push(sha);
    });
  }
}

/** Commits through the API to one branch. */
export async function committer(world: World, member: Member, round: number): Promise<void> {
  const branch = `api-${round}`;
  let exists = false;
  for (let step = 0; world.goesOn() && member.up; step++)
    exists =
      (await attempt(world, member, 'commit', async () => {
        const start = exists ? {} : { start_branch: 'main', force: true };
        const id = await commit(member, world.project, branch, [createFile(`api/${round}-${step}.txt`)], start);
        world.ledger.refs.set(`refs/heads/${branch}`, id);
        world.ledger.pushed.push(id);
      })) || exists;
}

/** Opens merge requests and merges them. */
export async function merger(world: World, member: Member, round: number): Promise<void> {
  const { project, ledger: known } = world;
  for (let step = 0; world.goesOn() && member.up; step++) {
    const branch = `merge-${round}-${step}`;
    const actions = [createFile(`merged/${round}-${step}.txt`)];
    await attempt(world, member, 'commit to merge', async () => {
      known.refs.set(`refs/heads/${branch}`, await commit(member, project, branch, actions, { start_branch: 'main' }));
    });
    const source = known.refs.get(`refs/heads/${branch}`);
    if (!source) continue;
    let iid = 0;
    await attempt(world, member, 'merge request', async () => {
      const body = { source_branch: branch, target_branch: 'main', title: `Merge ${round}.${step}` };
      ({ iid } = await member.api.expect<{ iid: number }>(201, 'POST', `${project.path}/merge_requests`, body));
      known.requests.set(iid, { source, merged: false });
    });
    if (iid === 0) continue;
    await attempt(world, member, 'merge', async () => {
      const path = `${project.path}/merge_requests/${iid}/merge`;
      const body = { should_remove_source_branch: false };
      const { merge_commit_sha: merged } = await member.api.expect<{ merge_commit_sha: string }>(
        200,
        'PUT',
        path,
        body,
      );
      known.requests.set(iid, { source, merged: true });
      known.refs.set('refs/heads/main', merged);
    });
  }
}
