/** Members of groups with those who come from above, and changes of their roles. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken, buildUser } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, User } from '../../../kernel/db/rows.ts';

let app: TestApp;
let owner: BuiltToken;
let below: Namespace;
let above: User;
let direct: User;

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  const top = await buildGroup(app, { owner: owner.user });
  below = await buildGroup(app, { parent: top });
  above = (await buildMember(app, { of: top, level: Level.reporter })).user;
  direct = (await buildMember(app, { of: below, level: Level.developer })).user;
});
afterAll(() => app.close());

test('all members of a group are its own and those of the groups above', async () => {
  const path = `/groups/${below.id}/members/all`;
  const { status, body } = await app.api<{ id: number; access_level: number }[]>('GET', path, { token: owner.secret });
  expect(status).toBe(200);
  expect(body.map(({ id, access_level }) => [id, access_level]).sort()).toEqual(
    [
      [owner.user.id, 50],
      [above.id, 20],
      [direct.id, 30],
    ].sort(),
  );
  const one = await app.api(`GET`, `${path}/${above.id}`, { token: owner.secret });
  expect([one.status, one.body]).toMatchObject([200, { id: above.id, access_level: 20 }]);
  const stranger = await buildUser(app);
  expect((await app.api('GET', `${path}/${stranger.id}`, { token: owner.secret })).status).toBe(404);
  expect((await app.api('GET', path)).status).toBe(404);
});

test('all members are filtered by role, source, expiry and second factor, and ordered', async () => {
  const list = async (query: string, token = owner.secret) => {
    const found = await app.api<{ id: number }[]>('GET', `/groups/${below.id}/members/all?${query}`, { token });
    expect(found.status).toBe(200);
    return found.body.map(({ id }) => id);
  };
  await app.db.updateTable('users').set({ two_factor_enabled: true }).where('id', '=', above.id).execute();
  await app.db.updateTable('grants').set({ expires_at: '2999-01-01' }).where('user_id', '=', direct.id).execute();
  expect(await list('access_level=20')).toEqual([above.id]);
  expect(await list('source=direct')).toEqual([direct.id]);
  expect(await list('source=inherited&sort=access_level_asc')).toEqual([above.id, owner.user.id]);
  expect(await list('source=shared')).toEqual([]);
  expect(await list('expires=true')).toEqual([direct.id]);
  expect(await list('expires=false&sort=access_level_desc')).toEqual([owner.user.id, above.id]);
  expect(await list('two_factor=enabled')).toEqual([above.id]);
  expect((await list('two_factor=disabled')).sort()).toEqual([owner.user.id, direct.id].sort());
  expect(await list('sort=oldest_joined')).toEqual([owner.user.id, above.id, direct.id]);
  expect(await list('sort=last_joined')).toEqual([direct.id, above.id, owner.user.id]);
  const byName = await list('sort=name_asc');
  expect(await list('sort=name_desc')).toEqual([...byName].reverse());
  // Who has no second factor is told to those who decide about members.
  const { secret } = await buildToken(app, { user: direct });
  const path = `/groups/${below.id}/members/all?two_factor=disabled`;
  expect((await app.api('GET', path, { token: secret })).status).toBe(403);
  await app.db.updateTable('grants').set({ expires_at: null }).where('user_id', '=', direct.id).execute();
});

test('the role of a direct member of a group changes, that of one from above does not', async () => {
  const path = `/groups/${below.id}/members`;
  const json = { access_level: 40, expires_at: '2999-12-31' };
  const changed = await app.api('PUT', `${path}/${direct.id}`, { token: owner.secret, json });
  expect([changed.status, changed.body]).toMatchObject([200, { id: direct.id, ...json }]);
  expect((await app.api('PUT', `${path}/${above.id}`, { token: owner.secret, json })).status).toBe(404);
  expect(
    (await app.api('PUT', `${path}/${direct.id}`, { token: owner.secret, json: { access_level: 31 } })).status,
  ).toBe(400);
  const { secret } = await buildToken(app, { user: direct });
  expect((await app.api('PUT', `${path}/${direct.id}`, { token: secret, json })).status).toBe(403);
});
