/** Contributions by day over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ background: true });
});
afterAll(() => app.close());

it('counts by day what somebody did and the caller may see', async () => {
  const project = await buildRepositoryProject(app, { files: { 'a.txt': 'one' } });
  await project.commit('main', { 'b.txt': 'two' });
  const { id } = project.owner.user;
  const days = (token?: string) =>
    app.api<Array<{ date: string; count: number }>>('GET', `/users/${id}/contributions`, token ? { token } : {});
  const [day] = await eventually('two pushes', async () => {
    const { body } = await days(project.owner.secret);
    return (body[0]?.count ?? 0) >= 2 ? body : null;
  });
  expect(day?.date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  // The project is private: nobody else sees what was done in it.
  expect((await days((await buildToken(app)).secret)).body).toEqual([]);
  expect((await days()).body).toEqual([]);
  expect((await app.api('GET', '/users/999999999/contributions')).status).toBe(404);
});
