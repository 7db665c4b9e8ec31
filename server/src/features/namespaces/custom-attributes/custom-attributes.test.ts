/** What administrators note of groups and projects, and lists that look for it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildProject,
  buildToken,
  unique,
} from '../../../../test/factories.ts';

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
});
afterAll(() => app.close());

const made = {
  groups: async () => (await buildGroup(app, { owner: owner.user })).id,
  projects: async () => (await buildProject(app, { owner: owner.user })).id,
};

describe.each(['groups', 'projects'] as const)('custom attributes of %s', (kind) => {
  const call = (method: 'GET' | 'PUT' | 'DELETE', path: string, token?: BuiltToken, json?: object) =>
    app.api(method, `/${kind}/${path}`, { token: token?.secret, ...(json ? { json } : {}) });

  it('are set, read, changed and removed by administrators', async () => {
    const id = await made[kind]();
    const path = `${id}/custom_attributes`;
    expect((await call('GET', path, admin)).body).toEqual([]);
    const place = { key: 'place', value: 'here' };
    expect(await call('PUT', `${path}/place`, admin, { value: 'here' })).toMatchObject({ status: 200, body: place });
    expect((await call('PUT', `${path}/colour`, admin, { value: 'red' })).status).toBe(200);
    expect((await call('PUT', `${path}/colour`, admin, { value: 'blue' })).body).toEqual({
      key: 'colour',
      value: 'blue',
    });
    expect((await call('GET', path, admin)).body).toEqual([{ key: 'colour', value: 'blue' }, place]);
    expect((await call('GET', `${path}/place`, admin)).body).toEqual(place);
    expect((await call('DELETE', `${path}/place`, admin)).status).toBe(204);
    const gone = { status: 404, body: { message: '404 Custom Attribute Not Found' } };
    expect(await call('GET', `${path}/place`, admin)).toMatchObject(gone);
    expect(await call('DELETE', `${path}/place`, admin)).toMatchObject(gone);
    expect((await call('PUT', `${path}/place`, admin, {})).body).toEqual({ error: 'value is missing' });
    const events = await app.db
      .selectFrom('audit_events')
      .select('event')
      .where('entity_type', '=', kind === 'groups' ? 'Group' : 'Project')
      .where('entity_id', '=', id)
      .orderBy('id')
      .execute();
    const noun = kind.slice(0, -1);
    const changed = `${noun}_custom_attribute_updated`;
    const removed = `${noun}_custom_attribute_destroyed`;
    expect(events.map(({ event }) => event)).toEqual([changed, changed, changed, removed]);
  });

  it('are nobody else’s', async () => {
    const path = `${await made[kind]()}/custom_attributes`;
    for (const [token, status] of [
      [owner, 403],
      [undefined, 401],
    ] as const) {
      expect((await call('GET', path, token)).status).toBe(status);
      expect((await call('GET', `${path}/x`, token)).status).toBe(status);
      expect((await call('PUT', `${path}/x`, token, { value: 'y' })).status).toBe(status);
      expect((await call('DELETE', `${path}/x`, token)).status).toBe(status);
    }
    expect((await call('GET', '999999999/custom_attributes', admin)).status).toBe(404);
  });
});

it('[3/api.groups/1 custom_attributes[key]=<value>] [3/api.groups/1 with_custom_attributes] lists look for them, for administrators alone', async () => {
  const prefix = unique('noted');
  const [one, two] = [
    await buildGroup(app, { path: `${prefix}-a`, owner: owner.user }),
    await buildGroup(app, { path: `${prefix}-b`, owner: owner.user }),
  ];
  await app.api('PUT', `/groups/${one.id}/custom_attributes/site`, { token: admin.secret, json: { value: 'north' } });
  await app.api('PUT', `/groups/${two.id}/custom_attributes/site`, { token: admin.secret, json: { value: 'south' } });
  const list = async (query: object, token = admin) =>
    (
      await app.api<{ id: number; custom_attributes?: unknown }[]>('GET', '/groups', {
        token: token.secret,
        query: { search: prefix, ...query },
      })
    ).body;
  const north = { 'custom_attributes[site]': 'north' };
  expect((await list(north)).map(({ id }) => id)).toEqual([one.id]);
  expect(await list({ ...north, 'custom_attributes[other]': 'x' })).toEqual([]);
  expect((await list({ with_custom_attributes: true })).map((group) => group.custom_attributes)).toEqual([
    [{ key: 'site', value: 'north' }],
    [{ key: 'site', value: 'south' }],
  ]);
  const seen = await list({ ...north, with_custom_attributes: true }, owner);
  expect(seen.map(({ id }) => id)).toEqual([one.id, two.id]);
  expect(seen[0]).not.toHaveProperty('custom_attributes');
  const detail = await app.api('GET', `/groups/${one.id}`, {
    token: admin.secret,
    query: { with_custom_attributes: true },
  });
  expect(detail.body).toHaveProperty('custom_attributes', [{ key: 'site', value: 'north' }]);
});

it('projects tell theirs, and every list of them looks for them, for administrators alone', async () => {
  const prefix = unique('noted');
  const group = await buildGroup(app, { owner: owner.user });
  const [one, two] = [
    await buildProject(app, { namespace: group, owner: owner.user, name: `${prefix}-a` }),
    await buildProject(app, { namespace: group, owner: owner.user, name: `${prefix}-b` }),
  ];
  for (const [project, value] of [
    [one, 'north'],
    [two, 'south'],
  ] as const)
    await app.api('PUT', `/projects/${project.id}/custom_attributes/site`, { token: admin.secret, json: { value } });
  const list = async (target: string, query: object, token = admin) =>
    (
      await app.api<{ id: number; custom_attributes?: unknown }[]>('GET', target, {
        token: token.secret,
        query: { search: prefix, sort: 'asc', order_by: 'id', ...query },
      })
    ).body;
  const north = { 'custom_attributes[site]': 'north' };
  const noted = [[{ key: 'site', value: 'north' }], [{ key: 'site', value: 'south' }]];
  for (const target of ['/projects', `/groups/${group.id}/projects`]) {
    expect((await list(target, north)).map(({ id }) => id)).toEqual([one.id]);
    expect(await list(target, { ...north, 'custom_attributes[other]': 'x' })).toEqual([]);
    for (const simple of [true, false]) {
      const told = await list(target, { with_custom_attributes: true, simple });
      expect(told.map((project) => project.custom_attributes)).toEqual(noted);
    }
    const seen = await list(target, { ...north, with_custom_attributes: true }, owner);
    expect(seen.map(({ id }) => id)).toEqual([one.id, two.id]);
    expect(seen[0]).not.toHaveProperty('custom_attributes');
  }
  const query = { with_custom_attributes: true };
  const detail = (token: BuiltToken) => app.api('GET', `/projects/${one.id}`, { token: token.secret, query });
  expect((await detail(admin)).body).toHaveProperty('custom_attributes', noted[0]);
  expect((await detail(owner)).body).not.toHaveProperty('custom_attributes');
});
