/** Slow, sampled: many pipelines end through the protocol of runners.
 * Random trains: pushes, failures, cancels, closings and merges past
 * the train, in any order, over real git and PostgreSQL. `npm run test:long -- --only trains` does 500 of them;
 * MILLRACE_TRAINS and MILLRACE_SEED choose others.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildToken } from '../../../../test/factories.ts';
import { type Next, pick, seeded } from '../../../../test/histories.ts';
import type { Json, RepositoryProject } from '../../../../test/repositories.ts';
import { buildTrainProject, openRequest, type TrainRunner, trainRunner } from '../../../../test/trains.ts';

const firstSeed = Number(process.env.MILLRACE_SEED ?? 1);
const seeds = Array.from({ length: Number(process.env.MILLRACE_TRAINS ?? 1) }, (_, at) => firstSeed + at);
const longestTrain = 12;
const methods = ['merge', 'merge', 'rebase_merge', 'ff'] as const;

let app: TestApp;
let owner: BuiltToken;
let runner: TrainRunner;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  runner = await trainRunner(app);
});
afterAll(() => app.close());

const rows = (project: RepositoryProject) =>
  app.db.selectFrom('merge_train_entries').selectAll().where('project_id', '=', project.id).orderBy('id').execute();
const waiting = async (project: RepositoryProject) =>
  (await rows(project)).filter(({ status }) => status !== 'merged' && status !== 'skip_merged');

/** One random thing that people or pipelines do to a train. */
async function act(project: RepositoryProject, next: Next, iids: number[], pushed: Set<string>): Promise<string> {
  const some = pick(next, iids);
  const url = `/merge_requests/${some}`;
  const [kind] = pick(next, [
    ['pass'],
    ['pass'],
    ['pass'],
    ['fail'],
    ['join'],
    ['join'],
    ['cancel'],
    ['push'],
    ['push to target'],
    ['close'],
    ['past the train'],
  ] as const);
  if (kind === 'pass' || kind === 'fail') {
    const running = (await waiting(project)).filter(({ pipeline_id: id }) => id !== null);
    if (running.length === 0) return 'nothing runs';
    const chosen = pick(next, running);
    await end(chosen.pipeline_id ?? 0, kind === 'pass' ? 'success' : 'failed');
  } else if (kind === 'join') await project.api('POST', `/merge_trains${url}`, { json: { squash: next(2) === 1 } });
  else if (kind === 'cancel') await project.api('POST', `${url}/cancel_merge_when_pipeline_succeeds`);
  else if (kind === 'close') {
    await project.api('PUT', url, { json: { state_event: 'close' } });
    await project.api('PUT', url, { json: { state_event: 'reopen' } });
  } else if (kind === 'past the train') await project.api('PUT', `${url}/merge`);
  else {
    const branch = kind === 'push' ? `b${some}` : 'main';
    const json = {
      branch,
      commit_message: `Pushed to ${branch}`,
      // Some of them conflict.
      actions: [{ action: 'create', file_path: `f${next(6)}`, content: `${next(1000)}` }],
    };
    const answer = await project.api('POST', '/repository/commits', { json });
    if (answer.status === 201 && branch === 'main') pushed.add(String(answer.body.id));
  }
  return `${kind} ${some}`;
}

/** Ends the jobs of a pipeline as a runner would have, whatever waits before them. */
async function end(pipelineId: number, state: 'success' | 'failed'): Promise<void> {
  for (;;) {
    const job = await runner.take(pipelineId);
    if (job === null) return;
    await runner.runner.update(job, state, state === 'failed' ? { failure_reason: 'script_failure' } : {});
  }
}

/** Lets everything pass until the trains are empty. */
async function settle(project: RepositoryProject): Promise<void> {
  await eventually('an empty train', async () => {
    for (const { pipeline_id: id } of await waiting(project)) if (id !== null) await end(id, 'success');
    return (await waiting(project)).length === 0;
  });
}

async function check(project: RepositoryProject, joined: ReadonlySet<number>, pushed: ReadonlySet<string>) {
  const entries = await rows(project);
  const log = await project.api<Array<{ id: string; parent_ids: string[] }>>('GET', '/repository/commits', {
    query: { ref_name: 'main', first_parent: true, per_page: 100 },
  });
  const line = log.body.map(({ id }) => id).reverse();
  const byTrain = entries.filter(({ status }) => status === 'merged');
  // What the target came to is what was tested, and its pipeline passed.
  for (const { id, commit_sha: commit, pipeline_id, base_sha: base } of byTrain) {
    expect(line, `entry ${id}`).toContain(commit);
    const pipeline = await app.db
      .selectFrom('pipelines')
      .select(['sha', 'status'])
      .where('id', '=', pipeline_id)
      .executeTakeFirstOrThrow();
    expect(pipeline).toEqual({ sha: commit, status: 'success' });
    // It came directly after the commit that it was tested on.
    expect(line, `base of ${id}`).toContain(base);
  }
  // In the order in which they joined.
  const places = byTrain.map(({ commit_sha: commit }) => line.indexOf(commit ?? ''));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  // Once each.
  const merged = entries.map(({ merge_request_id: id }) => id);
  expect(new Set(merged).size).toBe(merged.length);
  const requests = await app.db.selectFrom('merge_requests').selectAll().where('project_id', '=', project.id).execute();
  for (const request of requests) {
    const ends = entries.filter(({ merge_request_id: id }) => id === request.id);
    if (ends.length > 0) expect(request.state).toBe('merged');
    // Whoever joined was merged, or was told why not.
    if (!joined.has(request.iid) || ends.length > 0) continue;
    const notes = await app.db
      .selectFrom('notes')
      .select('body')
      .where('noteable_type', '=', 'merge_request')
      .where('noteable_id', '=', request.id)
      .where('system', '=', true)
      .execute();
    const count = (begin: string) => notes.filter(({ body }) => body.startsWith(begin)).length;
    expect(count('removed this merge request from the merge train'), `!${request.iid}`).toBe(
      count('added this merge request to the merge train'),
    );
  }
  // Nothing is on the branch that nobody pushed, merged or tested.
  const known = new Set([
    ...pushed,
    ...byTrain.map(({ commit_sha: commit }) => commit),
    ...requests.flatMap((one) => [one.merge_commit_sha, one.squash_commit_sha, one.merged_commit_sha]),
  ]);
  const between = line.slice(1).filter((sha) => !known.has(sha));
  // Commits of a branch that a linear history made anew, below one that was tested.
  if ((await project.row()).merge_method === 'merge') expect(between).toEqual([]);
}

it.each(seeds)(
  'random train %i: what the target branch has is what was tested, in order, once, and nobody is lost',
  { timeout: 300_000, retry: 0 },
  async (seed) => {
    const next = seeded(seed);
    const project = await buildTrainProject(app, owner, { merge_method: pick(next, methods) });
    const iids: number[] = [];
    const joined = new Set<number>();
    const cars = 2 + next(longestTrain - 1);
    for (let count = 0; count < cars; count++) {
      const { iid } = await openRequest(project, `b${count + 1}`);
      iids.push(Number(iid));
      const answer = await project.api('POST', `/merge_trains/merge_requests/${iid}`);
      if (answer.status === 201) joined.add(Number(iid));
    }
    const pushed = new Set<string>();
    const story: string[] = [];
    try {
      for (let count = 0; count < 6 + 2 * cars; count++) story.push(await act(project, next, iids, pushed));
      for (const iid of iids) {
        const notes = (await project.api<Json[]>('GET', `/merge_requests/${iid}/notes`)).body;
        if (notes.some(({ body }) => String(body).startsWith('added this'))) joined.add(iid);
      }
      await settle(project);
      await check(project, joined, pushed);
    } catch (error) {
      throw new Error(`seed ${seed}: ${story.join(', ')}`, { cause: error });
    }
  },
);
