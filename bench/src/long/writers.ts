/** Clients that write without a pause, each on branches of its own, and remember what was acknowledged to them. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../process.ts';
import type { Project, Target } from '../target.ts';

/** What a client was told, and what it was waiting for when the server died. */
export interface Ledger {
  /** Full ref -> the last acknowledged commit. */
  readonly refs: Map<string, string>;
  /** Commits whose push was acknowledged: each has its pipeline. */
  readonly pushed: string[];
  /** Merge requests -> whether the merge was acknowledged. */
  readonly requests: Map<number, { readonly source: string; readonly merged: boolean }>;
  /** Operations that had not been answered. */
  readonly open: Set<string>;
  /** Refusals while the server was alive: there must be none. */
  readonly refused: string[];
}

export const ledger = (): Ledger => ({
  refs: new Map(),
  pushed: [],
  requests: new Map(),
  open: new Set(),
  refused: [],
});

export interface World {
  readonly target: Target;
  readonly project: Project;
  readonly directory: string;
  readonly ledger: Ledger;
  /** False once the server was killed. */
  alive(): boolean;
}

const commitAction = (path: string) => [{ action: 'create', file_path: path, content: `${path}\n` }];

async function attempt(world: World, name: string, work: () => Promise<void>): Promise<void> {
  world.ledger.open.add(name);
  try {
    await work();
    world.ledger.open.delete(name);
  } catch (error) {
    if (world.alive()) world.ledger.refused.push(`${name}: ${(error as Error).message.slice(0, 400)}`);
  }
}

/** A clone to push from; made before the clock runs. */
export async function clone(world: World): Promise<string> {
  const directory = mkdtempSync(join(world.directory, 'push-'));
  await git(directory, ['clone', '--quiet', world.project.remote, 'work']);
  return join(directory, 'work');
}

/** Pushes one commit after the other from a clone to one branch, new branches in between. */
export async function pusher(world: World, round: number, work: string): Promise<void> {
  for (let step = 0; world.alive(); step++) {
    const branch = step % 3 === 2 ? `push-${round}-${step}` : `push-${round}`;
    writeFileSync(join(work, `pushed-${round}.txt`), `${step}\n`);
    await git(work, ['add', '.']);
    await git(work, ['commit', '--quiet', '-m', `Push ${round}.${step}`]);
    const sha = await git(work, ['rev-parse', 'HEAD']);
    if (!world.alive()) return;
    await attempt(world, 'push', async () => {
      await git(work, ['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`]);
      world.ledger.refs.set(`refs/heads/${branch}`, sha);
      world.ledger.pushed.push(sha);
    });
  }
}

/** Commits through the API to one branch. */
export async function committer(world: World, round: number): Promise<void> {
  const branch = `api-${round}`;
  for (let step = 0; world.alive(); step++)
    await attempt(world, 'commit', async () => {
      const { id } = await world.target.call<{ id: string }>('POST', `${world.project.api}/repository/commits`, {
        branch,
        ...(step ? {} : { start_branch: 'main' }),
        commit_message: `Commit ${round}.${step}`,
        actions: commitAction(`api/${round}-${step}.txt`),
      });
      world.ledger.refs.set(`refs/heads/${branch}`, id);
      world.ledger.pushed.push(id);
    });
}

/** Opens merge requests and merges them. */
export async function merger(world: World, round: number): Promise<void> {
  const { target, project, ledger: known } = world;
  for (let step = 0; world.alive(); step++) {
    const branch = `merge-${round}-${step}`;
    await attempt(world, 'commit to merge', async () => {
      const { id } = await target.call<{ id: string }>('POST', `${project.api}/repository/commits`, {
        branch,
        start_branch: 'main',
        commit_message: `Change ${round}.${step}`,
        actions: commitAction(`merged/${round}-${step}.txt`),
      });
      known.refs.set(`refs/heads/${branch}`, id);
    });
    const source = known.refs.get(`refs/heads/${branch}`);
    if (!source || !world.alive()) return;
    let iid = 0;
    await attempt(world, 'merge request', async () => {
      const body = { source_branch: branch, target_branch: 'main', title: `Merge ${round}.${step}` };
      ({ iid } = await target.call<{ iid: number }>('POST', `${project.api}/merge_requests`, body));
      known.requests.set(iid, { source, merged: false });
    });
    if (iid === 0 || !world.alive()) return;
    await attempt(world, 'merge', async () => {
      const body = { should_remove_source_branch: false };
      const path = `${project.api}/merge_requests/${iid}/merge`;
      const { merge_commit_sha } = await target.call<{ merge_commit_sha: string }>('PUT', path, body);
      known.requests.set(iid, { source, merged: true });
      known.refs.set('refs/heads/main', merge_commit_sha);
    });
  }
}
