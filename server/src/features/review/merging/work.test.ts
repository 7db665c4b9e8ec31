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
  // Of somebody whose token was not used before: it is looked up.
  const { secret: token } = await project.member(40);
  await app.delivery.drain();
  return await tracedWork(() => project.api('PUT', `/merge_requests/${made.body.iid}/merge`, { json, token }));
}

const described = ({ statements, processes }: TracedWork<unknown>) =>
  [...statements, ...processes.map((words) => words.join(' '))].map((line) => line.replaceAll(/\s+/g, ' ')).join('\n');

it.each<[string, Json, number, { statements: number; processes: number }]>([
  ['a merge commit, without the source branch', {}, 1, { statements: 18, processes: 1 }],
  ['a squashed commit', { squash: true }, 2, { statements: 18, processes: 2 }],
  ['a source branch that stays', { should_remove_source_branch: false }, 1, { statements: 18, processes: 0 }],
])('%s', async (_title, json, commits, most) => {
  const work = await merge(await buildRepositoryProject(app), json, commits);
  expect(work.result.status).toBe(200);
  // When tokens were last used is written from time to time, for all at once.
  const own = work.statements.filter((text) => !/^update "(access_tokens|users)" set "last_/.test(text));
  expect(own.length, described(work)).toBeLessThanOrEqual(most.statements);
  expect(work.processes.length, described(work)).toBeLessThanOrEqual(most.processes);
});
