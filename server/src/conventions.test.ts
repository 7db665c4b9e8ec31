/** Conventions that hold for the whole API and belong to no noun: names, and what is left out of answers. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { buildAdmin, buildProject, buildToken, buildUser } from '../test/factories.ts';
import { settingAliases } from './kernel/names.ts';

let app: TestApp;
let admin: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(() => app.close());

type Json = Record<string, unknown>;

it('[1/what-the-service-does/10] every tier is there for everybody; what the caller may not know is left out, not null', async () => {
  expect((await app.api<Json>('GET', '/metadata', { token: admin })).body).toMatchObject({ enterprise: true });
  const { user, secret } = await buildToken(app);
  const of = (token: string) => app.api<Json>('GET', `/users/${user.id}`, { token });
  const forAdministrators = ['is_admin', 'is_auditor', 'using_license_seat', 'shared_runners_minutes_limit', 'note'];
  const [theirs, own] = [(await of(admin)).body, (await of(secret)).body];
  for (const name of forAdministrators) {
    expect(theirs).toHaveProperty(name);
    expect(own).not.toHaveProperty(name);
  }
  const { id } = await buildProject(app, { visibility: 'public', owner: user });
  const anonymous = (await app.api<Json>('GET', `/projects/${id}`)).body;
  const signedIn = (await app.api<Json>('GET', `/projects/${id}`, { token: secret })).body;
  for (const name of ['permissions', 'merge_method', 'shared_with_groups']) {
    expect(signedIn).toHaveProperty(name);
    expect(anonymous).not.toHaveProperty(name);
  }
});

it('[1/what-the-service-does/11] neutral names are spelled exactly so; the ecosystem’s spellings stand beside them with the same value', async () => {
  const { body } = await app.api<Json>('GET', '/application/settings', { token: admin });
  for (const [name, others] of Object.entries(settingAliases)) {
    expect(body).toHaveProperty(name);
    for (const other of others) expect([other, body[other]]).toEqual([other, body[name]]);
  }
  const password = 'nanosecond-wire-1952';
  const { username } = await buildUser(app, { password });
  const signedIn = await app.request('POST', '/-/session', { json: { login: username, password } });
  const [name, value] = (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0]?.split('=') ?? [];
  expect(name).toBe('_service_session');
  for (const cookie of ['_service_session', '_gitlab_session'])
    expect(await app.api('GET', '/user', { headers: { Cookie: `${cookie}=${value}` } })).toMatchObject({
      status: 200,
      body: { username },
    });
});

it('[1/what-the-service-does/6] every list of numbers is also taken as one text with commas', () => {
  const lists = app.routes.flatMap(({ method, path, params }) =>
    Object.entries((params?.properties ?? {}) as Record<string, { items?: { type?: string }; 'x-commas'?: unknown }>)
      .filter(([, { items }]) => items?.type === 'integer')
      .map(([name, schema]) => ({ name: `${method} ${path} ${name}`, commas: Boolean(schema['x-commas']) })),
  );
  expect(lists.length).toBeGreaterThan(30);
  expect(lists.filter(({ commas }) => !commas)).toEqual([]);
});
