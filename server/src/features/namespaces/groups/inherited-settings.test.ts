/** What groups and projects inherit is read when it is needed: a later change above is in effect below. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken, unique } from '../../../../test/factories.ts';
import { defaultSettings } from '../../../kernel/settings/index.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
});
afterAll(() => app.close());

const inherited = ['default_branch_protection', 'default_project_creation', 'keep_latest_artifact'] as const;
afterEach(() => app.settings.write(Object.fromEntries(inherited.map((name) => [name, defaultSettings[name]]))));

const send = async (method: 'GET' | 'POST' | 'PUT', path: string, json?: Json): Promise<Json> => {
  const answer = await app.api<Json>(method, path, { token: owner.secret, ...(json ? { json } : {}) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const newGroup = (json: Json = {}) => send('POST', '/groups', { name: unique('g'), path: unique('g'), ...json });
const newProject = (json: Json = {}) => send('POST', '/projects', { name: unique('p'), ...json });
const group = ({ id }: Json) => send('GET', `/groups/${id}`);
const project = ({ id }: Json) => send('GET', `/projects/${id}`);

it('default_branch_protection: of the instance as it is now, until the group says its own, and again after empty rules', async () => {
  const top = await newGroup();
  expect(top.default_branch_protection).toBe(2);
  await app.settings.write({ default_branch_protection: 1 });
  expect((await group(top)).default_branch_protection).toBe(1);
  const [listed] = (await send('GET', `/groups?search=${String(top.path)}`)) as unknown as Json[];
  expect(listed?.default_branch_protection).toBe(1);
  const started = await newProject({ namespace_id: top.id, initialize_with_readme: true });
  const [rule] = (await send('GET', `/projects/${started.id}/protected_branches`)) as unknown as Json[];
  expect(rule).toMatchObject({ push_access_levels: [expect.objectContaining({ access_level: 30 })] });
  await send('PUT', `/groups/${top.id}`, { default_branch_protection: 3 });
  expect((await group(top)).default_branch_protection).toBe(3);
  await send('PUT', `/groups/${top.id}`, { default_branch_protection_defaults: {} });
  expect((await group(top)).default_branch_protection).toBe(1);
});

it('default_branch_protection_defaults: any combination is stored, and the first branch is protected by it', async () => {
  const rules = {
    allowed_to_push: [{ access_level: 40 }, { access_level: 60 }],
    allow_force_push: true,
    allowed_to_merge: [{ access_level: 30 }],
  };
  const top = await newGroup({ default_branch_protection_defaults: rules });
  expect(top).toMatchObject({ default_branch_protection: 3, default_branch_protection_defaults: rules });
  const started = await newProject({ namespace_id: top.id, initialize_with_readme: true });
  const [rule] = (await send('GET', `/projects/${started.id}/protected_branches`)) as unknown as Json[];
  expect(rule).toMatchObject({
    push_access_levels: [{ access_level: 40 }, { access_level: 60 }],
    merge_access_levels: [{ access_level: 30 }],
    allow_force_push: true,
  });
  const wrong = { default_branch_protection_defaults: { allowed_to_push: 'everybody' } };
  expect(await app.api('PUT', `/groups/${top.id}`, { token: owner.secret, json: wrong })).toMatchObject({
    status: 400,
    body: { message: { default_branch_protection_defaults: ['must be a valid json schema'] } },
  });
});

it('default_project_creation: the role that makes projects in groups that say none', async () => {
  const [top, strict] = [await newGroup(), await newGroup({ project_creation_level: 'owner' })];
  await app.settings.write({ default_project_creation: 0 });
  expect([(await group(top)).project_creation_level, (await group(strict)).project_creation_level]).toEqual([
    'noone',
    'owner',
  ]);
  const json = { name: unique('p'), namespace_id: top.id };
  expect((await app.api('POST', '/projects', { token: owner.secret, json })).status).toBe(400);
  await newProject({ namespace_id: strict.id });
});

it('lfs_enabled: of the nearest group above that says anything', async () => {
  const top = await newGroup();
  const sub = await newGroup({ parent_id: top.id });
  const [below, own] = [
    await newProject({ namespace_id: sub.id }),
    await newProject({ namespace_id: sub.id, lfs_enabled: true }),
  ];
  expect([top, sub, below].map(({ lfs_enabled }) => lfs_enabled)).toEqual([true, true, true]);
  await send('PUT', `/groups/${top.id}`, { lfs_enabled: false });
  const seen = async () =>
    [await group(sub), await project(below), await project(own)].map(({ lfs_enabled }) => lfs_enabled);
  expect(await seen()).toEqual([false, false, true]);
  await send('PUT', `/groups/${sub.id}`, { lfs_enabled: true });
  expect(await seen()).toEqual([true, true, true]);
});

it('keep_latest_artifact: only where the instance keeps them, too', async () => {
  const [kept, dropped] = [await newProject(), await newProject({ keep_latest_artifact: false })];
  const seen = async () => [await project(kept), await project(dropped)].map((each) => each.keep_latest_artifact);
  expect(await seen()).toEqual([true, false]);
  await app.settings.write({ keep_latest_artifact: false });
  const made = await newProject();
  expect([...(await seen()), made.keep_latest_artifact]).toEqual([false, false, false]);
  await app.settings.write({ keep_latest_artifact: true });
  expect([...(await seen()), (await project(made)).keep_latest_artifact]).toEqual([true, false, true]);
});
