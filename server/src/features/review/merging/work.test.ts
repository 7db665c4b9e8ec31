/** What one merge asks of the database and of git, so that neither grows unnoticed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { type TracedWork, tracedWork } from '../../../../test/traced-work.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  // The first one fills caches that live as long as the process.
  await merge(await buildRepositoryProject(app), {}, 1);
});
afterAll(() => app.close());

/** A merge of a branch whose target has moved since anybody looked: nothing is known of the two commits. */
async function merge(
  project: RepositoryProject,
  json: Json,
  commits: number,
): Promise<TracedWork<{ readonly status: number }>> {
  const branch = unique('work');
  for (let number = 0; number < commits; number += 1)
    await project.commit(branch, { [`${branch}-${number}`]: '1' }, number === 0 ? { start_branch: 'main' } : {});
  const made = await project.api('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: branch },
  });
  await project.commit('main', { [unique('file')]: '1' });
  await app.delivery.drain();
  // Of somebody whose token was not used before: it is looked up.
  const { secret: token } = await project.member(40);
  return await tracedWork(() => project.api('PUT', `/merge_requests/${made.body.iid}/merge`, { json, token }));
}

const described = ({ statements, processes }: TracedWork<unknown>) =>
  [...statements, ...processes.map((words) => words.join(' '))].map((line) => line.replaceAll(/\s+/g, ' ')).join('\n');

it.each<[string, Json, number, { statements: number; processes: number }]>([
  ['a merge commit, without the source branch', {}, 1, { statements: 34, processes: 3 }],
  ['a squashed commit', { squash: true }, 2, { statements: 34, processes: 4 }],
  ['a source branch that stays', { should_remove_source_branch: false }, 1, { statements: 33, processes: 3 }],
])('%s', async (_title, json, commits, most) => {
  // A repository that was written often is tended by a task now and then: each one is new. What the process does beside
  // the merge is counted with it, by chance: the least of three is the merge's own.
  let least: TracedWork<{ readonly status: number }> | undefined;
  for (let time = 0; time < 3; time += 1) {
    const work = await merge(await buildRepositoryProject(app), json, commits);
    expect(work.result.status).toBe(200);
    if (!least || work.statements.length < least.statements.length) least = work;
    if (least.statements.length <= most.statements && least.processes.length <= most.processes) break;
  }
  if (!least) throw new Error('nothing was merged');
  expect(least.statements.length, described(least)).toBeLessThanOrEqual(most.statements);
  expect(least.processes.length, described(least)).toBeLessThanOrEqual(most.processes);
});
