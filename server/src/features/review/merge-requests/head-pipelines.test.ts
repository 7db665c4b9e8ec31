/** Which pipeline is shown as that of a merge request's head. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { '.gitlab-ci.yml': 'one: {script: [make]}\n' } });
});
afterAll(() => app.close());

const headPipeline = async (iid: unknown) =>
  ((await project.api('GET', `/merge_requests/${iid}`)).body.head_pipeline as Json | null)?.id ?? null;

/** What is left when a pipeline was created beside the transaction that moved the head: neither saw the other. */
const unseen = (id: unknown) =>
  app.db.updateTable('merge_requests').set({ head_pipeline_id: null }).where('id', '=', Number(id)).execute();

it('a pipeline that was created while the request was opened or reopened is found afterwards', async () => {
  const branch = unique('work');
  await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  await app.delivery.drain();
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const { id, iid } = (await project.api('POST', '/merge_requests', { json })).body;
  await unseen(id);
  await app.delivery.drain();
  const [first] = (await project.api<Json[]>('GET', '/pipelines', { query: { ref: branch } })).body;
  expect(await headPipeline(iid)).toBe(first?.id);

  await project.api('PUT', `/merge_requests/${iid}`, { json: { state_event: 'close' } });
  await app.delivery.drain();
  await project.api('PUT', `/merge_requests/${iid}`, { json: { state_event: 'reopen' } });
  await unseen(id);
  await app.delivery.drain();
  expect(await headPipeline(iid)).toBe(first?.id);
});

it('an older pipeline does not take the place of a newer one', async () => {
  const branch = unique('work');
  await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  await app.delivery.drain();
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const { iid } = (await project.api('POST', '/merge_requests', { json })).body;
  const newer = (await project.api('POST', '/pipeline', { json: { ref: branch } })).body;
  await app.delivery.drain();
  expect(await headPipeline(iid)).toBe(newer.id);
});
