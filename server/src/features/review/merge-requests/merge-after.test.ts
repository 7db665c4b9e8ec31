/** Requests that are not merged before a certain time, and their auto-merge. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app);
});
afterAll(() => app.close());

const later = '2100-01-02T03:04:05.000Z';

async function request(json: Json = {}): Promise<string> {
  const branch = unique('work');
  await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const made = await project.api<{ iid: number }>('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: branch, ...json },
  });
  expect(made.status).toBe(201);
  return `/merge_requests/${made.body.iid}`;
}
const get = async (path: string) => (await project.api<Json>('GET', path)).body;

it('is refused before the time, and allowed without one', async () => {
  const path = await request({ merge_after: later });
  expect(await get(path)).toMatchObject({ merge_after: later, detailed_merge_status: 'merge_time' });
  const listed = (await project.api<Json[]>('GET', '/merge_requests')).body[0];
  expect(listed).toMatchObject({ merge_after: later, detailed_merge_status: 'merge_time' });
  expect((await project.api('PUT', `${path}/merge`)).status).toBe(405);
  expect((await project.api('PUT', path, { json: { merge_after: 'soon' } })).status).toBe(400);
  expect((await project.api('PUT', path, { json: { merge_after: null } })).body).toMatchObject({
    merge_after: null,
    detailed_merge_status: 'mergeable',
  });
  expect((await project.api('PUT', `${path}/merge`)).body).toMatchObject({ state: 'merged' });
});

it('set to auto-merge it waits, and is merged when the time has come', async () => {
  const path = await request({ merge_after: later });
  const waiting = await project.api('PUT', `${path}/merge`, { json: { auto_merge: true } });
  expect([waiting.status, waiting.body]).toMatchObject([
    200,
    { state: 'opened', merge_when_pipeline_succeeds: true, detailed_merge_status: 'merge_time' },
  ]);
  await project.api('PUT', path, { json: { merge_after: '2020-01-02T03:04:05Z' } });
  await eventually('the merge', async () => (await get(path)).state === 'merged');
});
