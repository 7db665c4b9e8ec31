/** Names of default branches are checked where they are set, not by the first commit. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildToken, unique } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

it('[1/errors/7] what git does not take for a branch is 400 for projects and groups; empty is the usual one', async () => {
  const { secret: token } = await buildToken(app);
  const refused = { status: 400, body: { message: { default_branch: ['is not a valid branch name'] } } };
  const post = (path: string, json: Record<string, unknown>) =>
    app.api<{ id: number; default_branch: string | null }>('POST', path, { token, json });
  for (const name of ['two words', '-h', 'a..b', 'x.lock', '@{x}', '/x'])
    expect([name, await post('/projects', { name: unique('branch'), default_branch: name })]).toMatchObject([
      name,
      refused,
    ]);
  const path = unique('branch');
  expect(await post('/groups', { name: path, path, default_branch: 'two words' })).toMatchObject({
    status: 400,
    body: { message: 'Failed to save group {:default_branch=>["is not a valid branch name"]}' },
  });
  const group = await post('/groups', { name: path, path, default_branch: '' });
  expect([group.status, group.body.default_branch]).toEqual([201, null]);
  const put = (json: Record<string, unknown>) => app.api('PUT', `/groups/${group.body.id}`, { token, json });
  expect(await put({ default_branch: 'a b' })).toMatchObject(refused);
  expect((await put({ default_branch: 'trunk' })).status).toBe(200);
  const made = await post('/projects', { name: 'x', namespace_id: group.body.id, initialize_with_readme: true });
  expect([made.status, made.body.default_branch]).toEqual([201, 'trunk']);
  const changed = await app.api('PUT', `/projects/${made.body.id}`, { token, json: { default_branch: 'a b' } });
  expect(changed).toMatchObject(refused);
});
