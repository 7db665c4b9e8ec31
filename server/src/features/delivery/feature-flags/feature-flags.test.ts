/** Feature flags: the API, lists of people, and what clients of Unleash get. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildMember, buildProject, buildToken, unique } from '../../../../test/factories.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { flagNameProblems, strategyProblem, userIdsProblem } from './strategies.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let project: Project;
let developer: BuiltToken;
let maintainer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildProject(app);
  developer = await buildToken(app, { user: (await buildMember(app, { of: project, level: 30 })).user });
  maintainer = await buildToken(app, { user: (await buildMember(app, { of: project, level: 40 })).user });
});
afterAll(() => app.close());

const api = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: Json, by = developer) =>
  app.api<T>(method, `/projects/${project.id}${path}`, { token: by.secret, ...(json ? { json } : {}) });
const flags = '/feature_flags';
const lists = '/feature_flags_user_lists';
const everywhere = { name: 'default', parameters: {}, scopes: [{ environment_scope: '*' }] };
const make = async (json: Json = {}) => {
  const answer = await api('POST', flags, { name: unique('flag'), version: 'new_version_flag', ...json });
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body as Json & { name: string; strategies: (Json & { id: number; scopes: { id: number }[] })[] };
};
const makeList = async (user_xids = 'user1,user2') => {
  const answer = await api('POST', lists, { name: unique('list'), user_xids });
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body as Json & { id: number; iid: number; name: string };
};

describe('feature flags', () => {
  it('developers create, list, change and delete them with their strategies and environments', async () => {
    const made = await make({ description: 'About trains', strategies: [everywhere] });
    const [strategy] = made.strategies;
    expect(made).toEqual({
      ...{ name: made.name, description: 'About trains', active: true, version: 'new_version_flag', scopes: [] },
      ...{ created_at: made.created_at, updated_at: made.updated_at },
      strategies: [
        {
          ...{ id: strategy?.id, name: 'default', parameters: {}, user_list: null },
          scopes: [{ id: strategy?.scopes[0]?.id, environment_scope: '*' }],
        },
      ],
    });
    const off = await make({ active: false });
    const names = async (query: string) => (await api<Json[]>('GET', `${flags}${query}`)).body.map(({ name }) => name);
    expect(await names('')).toEqual([made.name, off.name].sort());
    expect(await names('?scope=enabled')).toEqual([made.name]);
    expect(await names('?scope=disabled')).toEqual([off.name]);
    const list = await makeList();
    const rollout = { groupId: 'default', rollout: '25', stickiness: 'default' };
    const changed = await api<typeof made>('PUT', `${flags}/${made.name}`, {
      name: `${made.name}-2`,
      strategies: [
        {
          ...{ id: strategy?.id, name: 'flexibleRollout', parameters: rollout },
          scopes: [{ id: strategy?.scopes[0]?.id, environment_scope: 'staging' }, { environment_scope: 'production' }],
        },
        { name: 'gitlabUserList', user_list_id: list.id, parameters: {}, scopes: [{ environment_scope: 'review/*' }] },
      ],
    });
    expect(changed.body).toMatchObject({
      ...{ name: `${made.name}-2`, description: 'About trains' },
      strategies: [
        {
          ...{ id: strategy?.id, name: 'flexibleRollout', parameters: rollout },
          scopes: [{ environment_scope: 'staging' }, { environment_scope: 'production' }],
        },
        {
          name: 'gitlabUserList',
          user_list: { id: list.id, iid: list.iid, name: list.name, user_xids: 'user1,user2' },
        },
      ],
    });
    const [first, second] = changed.body.strategies;
    const fewer = await api<typeof made>('PUT', `${flags}/${made.name}-2`, {
      strategies: [
        { id: first?.id, scopes: [{ id: first?.scopes[1]?.id, _destroy: true }] },
        { id: second?.id, _destroy: true },
      ],
    });
    expect(fewer.body.strategies).toMatchObject([
      { name: 'flexibleRollout', scopes: [{ environment_scope: 'staging' }] },
    ]);
    expect((await api('GET', `${flags}/${made.name}-2`)).body).toEqual(fewer.body);
    for (const { name } of [off, { name: `${made.name}-2` }])
      expect((await api('DELETE', `${flags}/${name}`)).status).toBe(204);
    expect((await api('GET', `${flags}/${off.name}`)).status).toBe(404);
  });

  it('what is wrong is refused with its reason, and nothing of it is kept', async () => {
    const made = await make();
    const other = await buildProject(app);
    const [elsewhere] = await app.db
      .insertInto('feature_flag_user_lists')
      .values({ project_id: other.id, iid: 1, name: 'theirs', user_xids: 'a' })
      .returning('id')
      .execute();
    const wrong = async (json: Json) => {
      const { status, body } = await api('POST', flags, { name: unique('wrong'), ...json });
      return [status, body.message];
    };
    expect(await wrong({ name: made.name })).toEqual([400, 'Name has already been taken']);
    expect(await wrong({ name: 'No' })).toEqual([400, expect.stringContaining('only lowercase letters')]);
    expect(await wrong({ strategies: [{ ...everywhere, name: 'x' }] })).toEqual([
      400,
      'Strategies name strategy name is invalid',
    ]);
    expect(
      await wrong({ strategies: [{ ...everywhere, scopes: [...everywhere.scopes, ...everywhere.scopes] }] }),
    ).toEqual([400, 'Strategies scopes environment scope has already been taken']);
    const listed = { name: 'gitlabUserList', parameters: {} };
    expect(await wrong({ strategies: [listed] })).toEqual([400, "Strategies user list can't be blank"]);
    expect((await wrong({ strategies: [{ ...listed, user_list_id: elsewhere?.id }] }))[0]).toBe(404);
    const ofOther = (await make({ strategies: [everywhere] })).strategies[0]?.id;
    const taken = await api('PUT', `${flags}/${made.name}`, {
      active: false,
      strategies: [{ id: ofOther, _destroy: true }],
    });
    expect(taken.status).toBe(404);
    expect((await api('GET', `${flags}/${made.name}`)).body).toEqual(made);
    expect((await api<Json[]>('GET', flags)).body.filter(({ name }) => String(name).startsWith('wrong'))).toEqual([]);
  });

  it('reporters and strangers see none, and nobody does where the project has switched them off', async () => {
    const reporter = await buildToken(app, { user: (await buildMember(app, { of: project, level: 20 })).user });
    expect((await api('GET', flags, undefined, reporter)).status).toBe(403);
    expect((await api('GET', lists, undefined, reporter)).status).toBe(403);
    expect((await api('GET', flags, undefined, await buildToken(app))).status).toBe(404);
    const off = { feature_flags_access_level: 'disabled' };
    expect((await api('PUT', '', off, maintainer)).status).toBe(200);
    expect((await api('GET', flags)).status).toBe(403);
    expect((await api('PUT', '', { feature_flags_access_level: 'enabled' }, maintainer)).status).toBe(200);
  });

  it('lists of people are kept by number, and not deleted while a strategy uses them', async () => {
    const list = await makeList();
    expect(list).toMatchObject({ project_id: project.id, user_xids: 'user1,user2' });
    const found = await api<Json[]>('GET', `${lists}?search=${list.name.toUpperCase()}`);
    expect(found.body).toEqual([list]);
    const changed = await api('PUT', `${lists}/${list.iid}`, { user_xids: 'user3' });
    expect(changed.body).toMatchObject({ iid: list.iid, name: list.name, user_xids: 'user3' });
    expect((await api('GET', `${lists}/${list.iid}`)).body).toEqual(changed.body);
    for (const user_xids of ['', 'a,,b', 'a, b', 'a,a'])
      expect((await api('POST', lists, { name: unique('list'), user_xids })).status).toBe(400);
    expect((await api('POST', lists, { name: list.name, user_xids: 'a' })).body).toEqual({
      message: 'Name has already been taken',
    });
    const using = await make({ strategies: [{ name: 'gitlabUserList', parameters: {}, user_list_id: list.id }] });
    expect((await api('DELETE', `${lists}/${list.iid}`)).status).toBe(409);
    expect((await api('DELETE', `${flags}/${using.name}`)).status).toBe(204);
    expect((await api('DELETE', `${lists}/${list.iid}`)).status).toBe(204);
    expect((await api('GET', `${lists}/${list.iid}`)).status).toBe(404);
  });
});

describe('clients of Unleash', () => {
  it('security: get the flags of their environment with the instance id of the project, and nothing without', async () => {
    const list = await makeList('ann,bob');
    const shared = await make({
      strategies: [
        everywhere,
        { name: 'gitlabUserList', parameters: {}, user_list_id: list.id, scopes: [{ environment_scope: 'review/*' }] },
      ],
    });
    const off = await make({
      active: false,
      strategies: [{ ...everywhere, scopes: [{ environment_scope: 'production' }] }],
    });
    const setting = '/feature_flags_client';
    expect((await api('GET', setting)).body).toMatchObject({ instance_id: null });
    expect((await api('POST', `${setting}/reset_token`)).status).toBe(403);
    const { body: made } = await api('POST', `${setting}/reset_token`, undefined, maintainer);
    expect((await api('GET', setting)).body).toEqual(made);
    expect(made.url).toMatch(new RegExp(`/api/v4/feature_flags/unleash/${project.id}$`));
    const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
      const answer = await fetch(`${app.url}/api/v4/feature_flags/unleash/${project.id}${path}`, { method, headers });
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as Json | null };
    };
    const proof = { 'UNLEASH-INSTANCEID': String(made.instance_id) };
    const namesAt = async (app_name: string) => {
      const { body } = await ask('/client/features', { ...proof, 'UNLEASH-APPNAME': app_name });
      const own = ((body?.features ?? []) as Json[]).filter(({ name }) => name === shared.name || name === off.name);
      return own.map(({ name, enabled, strategies }) => [name, enabled, (strategies as Json[]).length]);
    };
    expect(await namesAt('production')).toEqual([
      [shared.name, true, 1],
      [off.name, false, 1],
    ]);
    expect(await namesAt('review/x')).toEqual([[shared.name, true, 2]]);
    const told = await ask(`/features?app_name=review/x&instance_id=${String(made.instance_id)}`, {});
    expect(told.body).toMatchObject({ version: 1 });
    expect(told.body?.features).toContainEqual(
      expect.objectContaining({
        name: shared.name,
        strategies: [
          { name: 'default', parameters: {} },
          { name: 'userWithId', parameters: { userIds: 'ann,bob' } },
        ],
      }),
    );
    for (const path of ['/client/register', '/client/metrics']) {
      expect((await ask(path, proof, 'POST')).status).toBe(200);
      expect((await ask(path, {}, 'POST')).status).toBe(401);
    }
    expect((await ask('', proof)).status).toBe(200);
    const before = await ask('/client/features', { 'UNLEASH-INSTANCEID': 'glffct-other' });
    expect(before.status).toBe(401);
    await api('POST', `${setting}/reset_token`, undefined, maintainer);
    expect((await ask('/client/features', proof)).status).toBe(401);
  });
});

it.each([
  ['default', {}, null],
  ['default', { x: '1' }, 'parameters are invalid'],
  ['gradualRolloutUserId', { groupId: 'default', percentage: '100' }, null],
  ['gradualRolloutUserId', { groupId: 'default', percentage: '101' }, 'percentage must be'],
  ['gradualRolloutUserId', { groupId: 'default', percentage: 25 }, 'percentage must be'],
  ['gradualRolloutUserId', { groupId: 'A', percentage: '1' }, 'groupId parameter'],
  ['flexibleRollout', { groupId: 'a', rollout: '0', stickiness: 'random' }, null],
  ['flexibleRollout', { groupId: 'a', rollout: '0', stickiness: 'x' }, 'stickiness parameter'],
  ['userWithId', { userIds: 'a,b' }, null],
  ['userWithId', { userIds: '' }, 'unique comma separated'],
])('strategy %s with %j: %s', (name, parameters, problem) => {
  const found = strategyProblem(name, parameters);
  expect(problem === null ? found : found?.includes(problem)).toBe(problem === null ? null : true);
});

it('names of flags and external ids have their bounds', () => {
  expect(flagNameProblems('a'.repeat(64))).toHaveLength(1);
  expect(flagNameProblems('a-b_1')).toEqual([]);
  expect(flagNameProblems('a-').length + flagNameProblems('').length).toBe(2);
  expect(userIdsProblem('x'.repeat(256), 'ids')).toBeNull();
  expect(userIdsProblem('x'.repeat(257), 'ids')).toContain('ids must be');
});
