/** `runners_token` of a project: who gets it, and that runners register with it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let maintainer: BuiltToken;
let developer: BuiltToken;
let id: number;
beforeAll(async () => {
  app = await startTestApp();
  [maintainer, developer] = [await buildToken(app), await buildToken(app)];
  const project = await buildProject(app, { visibility: 'public' });
  await buildMember(app, { user: maintainer.user, of: project, level: Level.maintainer });
  await buildMember(app, { user: developer.user, of: project, level: Level.developer });
  id = project.id;
});
afterAll(() => app.close());

const tokenOf = async (secret?: string, target = `/projects/${id}`) =>
  (await app.api<{ runners_token?: string | null }>('GET', target, { token: secret })).body.runners_token;
const register = async (token: unknown) =>
  await app.api<{ id: number }>('POST', '/runners', { json: { token, description: 'registered' } });

it('maintainers get the token, and runners register with it', async () => {
  const tokens = await Promise.all([1, 2, 3].map(() => tokenOf(maintainer.secret)));
  expect(new Set(tokens).size).toBe(1);
  const { status, body } = await register(tokens[0]);
  expect(status).toBe(201);
  const runner = await app.api('GET', `/runners/${body.id}`, { token: maintainer.secret });
  expect(runner.body).toMatchObject({ runner_type: 'project_type', projects: [expect.objectContaining({ id })] });
  const path = `/projects/${id}/runners/reset_registration_token`;
  const reset = await app.api<{ token: string }>('POST', path, { token: maintainer.secret });
  expect(await tokenOf(maintainer.secret)).toBe(reset.body.token);
  expect((await register(tokens[0])).status).toBe(403);
});

it('security: nobody else gets it: other roles, tokens that only read, strangers', async () => {
  const reading = await buildToken(app, { user: maintainer.user, scopes: ['read_api'] });
  expect(await tokenOf(developer.secret)).toBeNull();
  expect(await tokenOf(reading.secret)).toBeNull();
  expect(await tokenOf()).toBeUndefined();
  const { body } = await app.api<object[]>('GET', '/projects', {
    token: maintainer.secret,
    query: { membership: true },
  });
  expect(JSON.stringify(body)).not.toContain('runners_token');
});

it('is null while registration tokens are switched off, and is not made during maintenance', async () => {
  const { id: other } = await buildProject(app, { owner: maintainer.user });
  const read = () => tokenOf(maintainer.secret, `/projects/${other}`);
  await app.settings.write({ allow_runner_registration_token: false });
  expect(await read()).toBeNull();
  await app.settings.write({ allow_runner_registration_token: true, maintenance_mode: true });
  expect(await read()).toBeNull();
  await app.settings.write({ maintenance_mode: false });
  expect(await read()).toEqual(expect.any(String));
});
