/** Removing merged branches over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildRepositoryProject, type Json } from '../../../../test/repositories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ background: true });
});
afterAll(() => app.close());

const url = '/repository/merged_branches';

it('goes on in the background and keeps what is not merged, protected, in review, or the default one', async () => {
  const project = await buildRepositoryProject(app);
  const branch = (name: string) => project.api('POST', '/repository/branches', { json: { branch: name, ref: 'main' } });
  for (const name of ['done/one', 'done/two', 'kept/one', 'into']) await branch(name);
  await project.commit('main', { 'main.txt': 'x' });
  await branch('just-made');
  await project.commit('ahead', { 'ahead.txt': 'x' }, { start_branch: 'main' });
  await project.commit('source', { 'source.txt': 'x' }, { start_branch: 'main' });
  await project.api('POST', '/protected_branches', { json: { name: 'kept/*' } });
  const request = { source_branch: 'source', target_branch: 'into', title: 'Open' };
  expect((await project.api('POST', '/merge_requests', { json: request })).status).toBe(201);
  const names = async () =>
    (await project.api<Json[]>('GET', '/repository/branches')).body.map(({ name }) => name).join(' ');
  const asked = await project.api('DELETE', url, { token: (await project.member(30)).secret });
  expect([asked.status, asked.body]).toEqual([202, { message: '202 Accepted' }]);
  await eventually('the end', async () => !(await names()).includes('done/'));
  expect(await names()).toBe('ahead into just-made kept/one main source');
});

it('a branch at the tip of the default branch is not merged; it is once the default branch moved on', async () => {
  const project = await buildRepositoryProject(app);
  const made = await project.api('POST', '/repository/branches', { json: { branch: 'just-made', ref: 'main' } });
  const merged = async () => {
    const one = (await project.api('GET', '/repository/branches/just-made')).body;
    const listed = (await project.api<Json[]>('GET', '/repository/branches')).body;
    return [one.merged, ...listed.map((branch) => [branch.name, branch.merged])];
  };
  expect(made.body.merged).toBe(false);
  expect(await merged()).toEqual([false, ['just-made', false], ['main', false]]);
  await project.commit('main', { 'main.txt': 'x' });
  expect(await merged()).toEqual([true, ['just-made', true], ['main', false]]);
});

it('[1/errors/9] takes who may push; an empty repository has nothing to remove', async () => {
  const project = await buildRepositoryProject(app, { files: null });
  expect((await project.api('DELETE', url)).status).toBe(202);
  expect((await project.api('DELETE', url, { token: (await project.member(20)).secret })).status).toBe(403);
  expect((await project.api('DELETE', url, { token: null })).status).toBe(401);
});
