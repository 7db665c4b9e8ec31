/** Links to groups of SAML and LDAP directories, and what owners see of members by them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let owner: BuiltToken;
let developer: BuiltToken;
let group: Namespace;

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  developer = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user });
  await buildMember(app, { user: developer.user, of: group, level: Level.developer });
});
afterAll(() => app.close());

const call = <T = Json>(
  method: 'GET' | 'POST' | 'DELETE',
  target: string,
  { token = owner, json, query }: { token?: BuiltToken | null; json?: Json; query?: Json } = {},
) =>
  app.api<T>(method, `/groups/${group.id}${target}`, {
    ...(token ? { token: token.secret } : {}),
    ...(json ? { json } : {}),
    ...(query ? { query } : {}),
  });

test('[3/api.groups/6 saml_group_name, access_level, name, 201] [3/api.groups/7] SAML: 201, list, get, 204', async () => {
  const json = { saml_group_name: 'team a', access_level: 30 };
  const made = { name: 'team a', access_level: 30 };
  expect(await call('POST', '/saml_group_links', { json })).toMatchObject({ status: 201, body: made });
  expect((await call('POST', '/saml_group_links', { json })).status).toBe(400);
  expect((await call('GET', '/saml_group_links')).body).toEqual([made]);
  expect(await call('GET', '/saml_group_links/team%20a')).toMatchObject({ status: 200, body: made });
  await call('POST', '/saml_group_links', { json: { ...json, provider: 'saml2', access_level: 40 } });
  expect((await call('GET', '/saml_group_links/team%20a')).status).toBe(422);
  expect((await call('DELETE', '/saml_group_links/team%20a')).status).toBe(422);
  const query = { provider: 'saml2' };
  expect((await call('GET', '/saml_group_links/team%20a', { query })).body.access_level).toBe(40);
  expect((await call('DELETE', '/saml_group_links/team%20a', { query })).status).toBe(204);
  expect(await call('DELETE', '/saml_group_links/team%20a')).toMatchObject({ status: 204, body: null });
  expect((await call('DELETE', '/saml_group_links/team%20a')).status).toBe(404);
  const events = await app.db.selectFrom('audit_events').select('event').where('entity_id', '=', group.id).execute();
  expect(events.map(({ event }) => event)).toEqual(
    expect.arrayContaining(['saml_group_link_created', 'saml_group_link_removed']),
  );
});

test('[3/api.groups/6] [3/api.groups/7] what is refused', async () => {
  const json = { saml_group_name: 'x', access_level: 30 };
  expect((await call('POST', '/saml_group_links', { json, token: developer })).status).toBe(403);
  expect((await call('POST', '/saml_group_links', { json, token: null })).status).toBe(401);
  expect((await call('POST', '/saml_group_links', { json: { saml_group_name: 'x' } })).status).toBe(400);
  expect((await call('POST', '/saml_group_links', { json: { ...json, access_level: 31 } })).status).toBe(400);
  expect(await call('POST', '/saml_group_links', { json: { ...json, member_role_id: 1 } })).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - member_role_id: there are no custom roles' },
  });
  expect((await call('DELETE', '/saml_group_links/x', { token: developer })).status).toBe(403);
});

test('LDAP: made with a name or a filter, removed in all forms', async () => {
  const post = (json: Json) =>
    call('POST', '/ldap_group_links', { json: { group_access: 40, provider: 'ldapmain', ...json } });
  expect(await post({ cn: 'g1' })).toMatchObject({
    status: 201,
    body: { cn: 'g1', group_access: 40, provider: 'ldapmain', filter: null, member_role_id: null },
  });
  expect((await post({ cn: 'g1' })).status).toBe(409);
  expect((await post({ filter: '(uid=a)' })).body).toMatchObject({ cn: null, filter: '(uid=a)' });
  expect((await post({ cn: 'a', filter: 'b' })).status).toBe(400);
  expect((await post({})).status).toBe(400);
  expect((await post({ cn: 'x', group_access: 1 })).status).toBe(400);
  for (const cn of ['g2', 'g3']) await post({ cn });
  expect((await call<Json[]>('GET', '/ldap_group_links')).body.map(({ cn }) => cn)).toEqual(['g1', null, 'g2', 'g3']);
  const remove = (json: Json) => call('DELETE', '/ldap_group_links', { json });
  expect((await remove({ provider: 'ldapmain', filter: '(uid=a)' })).status).toBe(204);
  expect((await remove({ provider: 'other', cn: 'g1' })).status).toBe(404);
  expect((await remove({ provider: 'ldapmain', cn: 'g1' })).status).toBe(204);
  expect((await call('DELETE', '/ldap_group_links/g2')).status).toBe(204);
  expect((await call('DELETE', '/ldap_group_links/ldapmain/g3')).status).toBe(204);
  expect((await call('DELETE', '/ldap_group_links/ldapmain/g3')).status).toBe(404);
  expect(await call('GET', '/ldap_group_links')).toMatchObject({
    status: 404,
    body: { message: 'No linked LDAP groups found' },
  });
  expect((await call('GET', '/ldap_group_links', { token: developer })).status).toBe(403);
  expect((await call('POST', '/ldap_group_links', { token: null, json: {} })).status).toBe(401);
});

test('[3/fields.member/1] owners of a group with single sign-on see who members are there, and their address', async () => {
  const member = () => call('GET', `/members/${developer.user.id}`);
  expect((await member()).body).not.toHaveProperty('group_saml_identity');
  await call('POST', '/saml_group_links', { json: { saml_group_name: unique('sso'), access_level: 20 } });
  expect((await member()).body).toMatchObject({ group_saml_identity: null });
  expect((await member()).body).not.toHaveProperty('email');
  await app.db
    .insertInto('identities')
    .values({ user_id: developer.user.id, provider: 'group_saml', extern_uid: 'uid-1', saml_provider_id: 7 })
    .execute();
  expect((await member()).body).toMatchObject({
    group_saml_identity: { extern_uid: 'uid-1', provider: 'group_saml', saml_provider_id: 7 },
    email: developer.user.email,
  });
  const seen = await call('GET', `/members/${developer.user.id}`, { token: developer });
  expect(seen.body).not.toHaveProperty('group_saml_identity');
  expect(seen.body).not.toHaveProperty('email');
});
