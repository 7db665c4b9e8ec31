/** What conflicts in a merge request, over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
const lines = (changed = '') =>
  Array.from({ length: 10 }, (_, at) => (at === 4 && changed ? changed : `${at}\n`)).join('');

beforeAll(async () => {
  app = await startTestApp();
  const files = { 'a.txt': lines(), 'gone.txt': lines('gone\n'), 'fine.txt': lines('fine\n') };
  project = await buildRepositoryProject(app, { files });
  await project.commit(
    'side',
    [
      { action: 'update', file_path: 'a.txt', content: lines('theirs\n') },
      { action: 'update', file_path: 'gone.txt', content: lines('kept\n') },
      { action: 'create', file_path: 'new.txt', content: 'new' },
    ],
    { start_branch: 'main' },
  );
});
afterAll(() => app.close());

it('tells the files with their sides while there are conflicts, to those who may read code', async () => {
  const json = { source_branch: 'side', target_branch: 'main', title: 'Conflicts' };
  const made = (await project.api('POST', '/merge_requests', { json })).body;
  const read = async (token?: string) =>
    (await project.api<Json>('GET', `/merge_requests/${made.iid}`, { ...(token ? { token } : {}) })).body;
  expect(await read()).not.toHaveProperty('conflicts');
  await project.commit('main', [
    { action: 'update', file_path: 'a.txt', content: lines('ours\n') },
    { action: 'delete', file_path: 'gone.txt' },
  ]);
  const blob = async (path: string, ref: string) =>
    (await project.api('GET', `/repository/files/${path}`, { query: { ref } })).body.blob_id;
  const side = async (path: string, ref: string) => ({ path, mode: '100644', blob_id: await blob(path, ref) });
  const base = String((await project.api<Json>('GET', '/repository/merge_base?refs=main,side')).body.id);
  const conflicted = await read();
  expect(conflicted.has_conflicts).toBe(true);
  expect(conflicted.conflicts).toEqual([
    {
      ...{ kind: 'content', paths: ['a.txt'], message: 'CONFLICT (content): Merge conflict in a.txt' },
      ...{ base: await side('a.txt', base), ours: await side('a.txt', 'main'), theirs: await side('a.txt', 'side') },
    },
    {
      ...{ kind: 'modify/delete', paths: ['gone.txt'], message: expect.stringContaining('deleted in ours') },
      ...{ base: await side('gone.txt', base), ours: null, theirs: await side('gone.txt', 'side') },
    },
  ]);
  const [listed] = (await project.api<Json[]>('GET', '/merge_requests')).body;
  expect(listed).not.toHaveProperty('conflicts');
  await project.api('PUT', '', {
    json: { visibility: 'public', repository_access_level: 'private', merge_requests_access_level: 'enabled' },
  });
  const outside = await app.api<Json>('GET', `/projects/${project.id}/merge_requests/${made.iid}`);
  expect([outside.status, outside.body]).toEqual([401, { message: '401 Unauthorized' }]);
  // Solved on the branch: nothing is told any more.
  await project.commit('side', [
    { action: 'update', file_path: 'a.txt', content: lines() },
    { action: 'update', file_path: 'gone.txt', content: lines('gone\n') },
  ]);
  expect(await read()).toMatchObject({ has_conflicts: false });
  expect(await read()).not.toHaveProperty('conflicts');
});
