/** Nobody acts as somebody who may do more: tokens of bots and service accounts, deploy keys, receivers of hooks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
} from '../../../../test/factories.ts';
import { keyPair } from '../../../../test/ssh.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let group: Namespace;
let project: Project;
let admin: BuiltToken;
let owner: BuiltToken;
let maintainer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user });
  project = await buildProject(app, { namespace: group });
  maintainer = await buildToken(app);
  await buildMember(app, { user: maintainer.user, of: project, level: Level.maintainer });
});
afterAll(() => app.close());

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, by: BuiltToken, json: Json = {}) =>
  app.api<Json>(method, path, { token: by.secret, json });

describe('security 18: service accounts', () => {
  /** An account of the project that has a role somewhere. */
  async function account(of: Namespace | Project, level: Level): Promise<{ id: number; tokens: string }> {
    const made = await call('POST', `/projects/${project.id}/service_accounts`, admin);
    const id = Number(made.body.id);
    const user = await app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    await buildMember(app, { user, of, level });
    return { id, tokens: `/projects/${project.id}/service_accounts/${id}/personal_access_tokens` };
  }
  const wanted = { name: 'x', scopes: ['api'] };
  const above = { status: 403, body: { message: '403 Forbidden - the service account has a role above yours' } };

  it('whoever maintains the project gets no token of one that an owner has made owner, of it or of its group', async () => {
    for (const place of [project, group]) {
      const { tokens } = await account(place, Level.owner);
      expect(await call('POST', tokens, maintainer, wanted)).toMatchObject(above);
      const made = await call('POST', tokens, owner, wanted);
      expect(made.status).toBe(201);
      const rotate = `${tokens}/${made.body.id}/rotate`;
      expect(await call('POST', rotate, maintainer)).toMatchObject(above);
      // To end it is no way up.
      expect((await call('POST', rotate, owner)).status).toBe(200);
    }
  });

  it('nor of one that has a role elsewhere which they have not', async () => {
    const elsewhere = await buildProject(app, { namespace: await buildGroup(app) });
    const { tokens } = await account(elsewhere, Level.reporter);
    expect(await call('POST', tokens, maintainer, wanted)).toMatchObject(above);
    await buildMember(app, { user: maintainer.user, of: elsewhere, level: Level.reporter });
    expect((await call('POST', tokens, maintainer, wanted)).status).toBe(201);
    const { id, tokens: own } = await account(project, Level.maintainer);
    expect((await call('POST', own, maintainer, wanted)).status).toBe(201);
    await app.db.updateTable('users').set({ auditor: true }).where('id', '=', id).execute();
    expect(await call('POST', own, maintainer, wanted)).toMatchObject(above);
  });

  it('the role counts while it lasts', async () => {
    const { id, tokens } = await account(project, Level.owner);
    await app.db.updateTable('grants').set({ expires_at: '2020-01-01' }).where('user_id', '=', id).execute();
    expect((await call('POST', tokens, maintainer, wanted)).status).toBe(201);
  });
});

it('security 18: nor is the token of a bot rotated that was given a role elsewhere', async () => {
  const made = await call('POST', `/projects/${project.id}/access_tokens`, maintainer, {
    name: 'bot',
    scopes: ['api'],
    access_level: Level.developer,
  });
  expect(made.status).toBe(201);
  const rotate = `/projects/${project.id}/access_tokens/${made.body.id}/rotate`;
  const { user } = { user: { id: Number(made.body.user_id) } };
  const bot = await app.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
  await buildMember(app, { user: bot, of: group, level: Level.owner });
  expect(await call('POST', rotate, maintainer)).toMatchObject({
    status: 400,
    body: {
      message: '400 Bad request - Not eligible to rotate token with access level higher than the user',
    },
  });
  expect((await call('POST', rotate, owner)).status).toBe(200);
});

it('security 18: a deploy key pushes in the name of its maker: whoever is below them does not let it', async () => {
  const keys = `/projects/${project.id}/deploy_keys`;
  const add = async (by: BuiltToken) => {
    const made = await call('POST', keys, by, { title: 'machine', key: keyPair().public });
    expect(made.status).toBe(201);
    return `${keys}/${made.body.id}`;
  };
  const push = { can_push: true };
  const above = {
    status: 403,
    body: { message: '403 Forbidden - the key pushes in the name of somebody with a role above yours' },
  };
  const ofOwner = await add(owner);
  expect(await call('PUT', ofOwner, maintainer, push)).toMatchObject(above);
  expect((await call('PUT', ofOwner, owner, push)).status).toBe(200);
  expect((await call('PUT', ofOwner, maintainer, { can_push: false })).status).toBe(200);
  expect((await call('PUT', await add(maintainer), maintainer, push)).status).toBe(200);
  // Administrators offer some to every project.
  const everybody = await call('POST', '/deploy_keys', admin, { title: 'all', key: keyPair().public });
  const taken = `${keys}/${everybody.body.id}`;
  expect((await call('POST', `${taken}/enable`, maintainer)).status).toBe(201);
  expect((await call('PUT', taken, maintainer, push)).status).toBe(200);
});

describe('security 21: secrets of hooks', () => {
  const hooks = () => `/projects/${project.id}/hooks`;
  async function hook(): Promise<string> {
    const made = await call('POST', hooks(), owner, {
      url: 'https://example.com/{part}',
      token: 'canary',
      custom_headers: [{ key: 'X-Auth', value: 'canary' }],
      url_variables: [{ key: 'part', value: 'a' }],
    });
    expect(made.status).toBe(201);
    return `${hooks()}/${made.body.id}`;
  }
  const secretsOf = async (path: string) => {
    const id = Number(path.split('/').at(-1));
    const { token_sealed: token, custom_header_keys: headers } = await app.db
      .selectFrom('web_hooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return [token !== null, headers];
  };
  const kept = [true, ['X-Auth']];
  const dropped = [false, []];

  it('go to no other address than that they were given for', async () => {
    const path = await hook();
    expect((await call('PUT', path, maintainer, { push_events: false })).status).toBe(200);
    expect(await secretsOf(path)).toEqual(kept);
    expect((await call('PUT', path, maintainer, { url: 'https://attacker.example.com/' })).status).toBe(200);
    expect(await secretsOf(path)).toEqual(dropped);
    const again = await hook();
    const json = { url: 'https://example.com/b', token: 'mine', custom_headers: [{ key: 'X-Auth', value: 'mine' }] };
    expect((await call('PUT', again, maintainer, json)).status).toBe(200);
    expect(await secretsOf(again)).toEqual(kept);
  });

  it('nor by a masked part that names another host', async () => {
    const made = await call('POST', hooks(), owner, {
      url: 'https://{host}/x',
      token: 'canary',
      custom_headers: [{ key: 'X-Auth', value: 'canary' }],
      url_variables: [{ key: 'host', value: 'example.com' }],
    });
    const path = `${hooks()}/${made.body.id}`;
    const value = (to: string) => call('PUT', `${path}/url_variables/host`, maintainer, { value: to });
    expect((await value('example.com')).status).toBe(204);
    expect(await secretsOf(path)).toEqual(kept);
    expect((await value('attacker.example.com')).status).toBe(204);
    expect(await secretsOf(path)).toEqual(dropped);
    const other = await hook();
    expect((await call('PUT', `${other}/url_variables/part`, maintainer, { value: 'b' })).status).toBe(204);
    expect(await secretsOf(other)).toEqual(kept);
    expect((await call('PUT', other, maintainer, { url_variables: [{ key: 'part', value: 'c' }] })).status).toBe(200);
    expect(await secretsOf(other)).toEqual(kept);
  });

  it('nor of hooks of the instance', async () => {
    const made = await call('POST', '/hooks', admin, { url: 'https://example.com/', token: 'canary' });
    const path = `/hooks/${made.body.id}`;
    expect((await call('PUT', path, admin, { name: 'x' })).status).toBe(200);
    expect((await secretsOf(path))[0]).toBe(true);
    expect((await call('PUT', path, admin, { url: 'https://attacker.example.com/' })).status).toBe(200);
    expect((await secretsOf(path))[0]).toBe(false);
  });
});
