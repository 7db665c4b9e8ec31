/** Runners through the API: creation, registration, tokens, lists, changes, places. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, protocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildAdmin, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { claimJob } from '../runner-protocol/claim.queries.ts';
import { ensureBuiltInRunner } from './built-in.ts';

type Json = Record<string, unknown>;

let world: World;
let project: TestProject;
let group: Namespace;
let stranger: Account;
beforeAll(async () => {
  world = await startWorld();
  group = await buildGroup(world.app, { owner: world.owner.user });
  project = await world.project({ namespace_id: group.id });
  stranger = await world.account();
});
afterAll(() => world.close());

const call = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  account: Account | null = world.owner,
  parts: { json?: unknown; query?: Json; form?: Record<string, string> } = {},
) =>
  world.app.api<Json & { token: string; id: number; message: unknown }>(method, path, {
    token: account?.token,
    ...parts,
  });
const make = (json: Json, account: Account | null = world.owner) => call('POST', '/user/runners', account, { json });
const ids = (answer: { body: unknown }) => (answer.body as Json[]).map((runner) => runner.id);

describe('creation', () => {
  it('[3/fields.runner-tokens/1] [security 21] hands out the token once', async () => {
    const made = await make({
      runner_type: 'project_type',
      project_id: project.id,
      tag_list: ['a', 'b'],
      description: 'mine',
    });
    expect(made.status).toBe(201);
    expect(Object.keys(made.body).sort()).toEqual(['id', 'token', 'token_expires_at']);
    expect(made.body.token).toMatch(/^glrt-.{16,}/);
    expect(JSON.stringify((await call('GET', `/runners/${made.body.id}`)).body)).not.toContain(made.body.token);
    expect(JSON.stringify(await world.app.db.selectFrom('runners').selectAll().execute())).not.toContain(
      made.body.token,
    );
    expect(world.app.logs.join('')).not.toContain(made.body.token);
  });

  it('is for owners of the place, with the scope of its own too', async () => {
    const status = async (json: Json, account: Account | null) => (await make(json, account)).status;
    expect(await status({ runner_type: 'instance_type' }, null)).toBe(401);
    expect(await status({ runner_type: 'instance_type' }, world.owner)).toBe(403);
    expect(await status({ runner_type: 'group_type', group_id: group.id }, stranger)).toBe(404);
    expect(await status({ runner_type: 'project_type', project_id: project.id }, stranger)).toBe(404);
    expect(await status({ runner_type: 'group_type', group_id: group.id }, world.owner)).toBe(201);
    expect(await status({ runner_type: 'group_type' }, world.owner)).toBe(400);
    expect(await status({ runner_type: 'nonsense' }, world.owner)).toBe(400);
    expect(await status({ runner_type: 'instance_type', run_untagged: false }, world.admin)).toBe(400);
    expect(await status({ runner_type: 'instance_type', maximum_timeout: 5 }, world.admin)).toBe(400);
    const { secret } = await buildToken(world.app, { user: world.admin.user, scopes: ['create_runner'] });
    expect(
      (await world.app.api('POST', '/user/runners', { token: secret, json: { runner_type: 'instance_type' } })).status,
    ).toBe(201);
    expect((await world.app.api('GET', '/runners', { token: secret })).status).toBe(403);
  });

  it('[3/api.runners/8] [3/fields.runner-tokens/1] [3/api.application-settings/19] registration needs a registration token and the switch', async () => {
    const register = (token: string) =>
      call('POST', '/runners', null, { json: { token, tag_list: 'x, y', access_level: '', maximum_timeout: 0 } });
    expect((await register('GR1348941wrong-token')).status).toBe(403);
    expect((await call('POST', `/projects/${project.id}/runners/reset_registration_token`, stranger)).status).toBe(404);
    const reset = await call('POST', `/projects/${project.id}/runners/reset_registration_token`);
    expect(reset.status).toBe(201);
    const made = await register(reset.body.token);
    expect([made.status, made.body.token]).toEqual([201, expect.stringMatching(/^glrtr-.{16,}/)]);
    expect((await call('GET', `/runners/${made.body.id}`)).body).toMatchObject({
      runner_type: 'project_type',
      tag_list: ['x', 'y'],
      access_level: 'not_protected',
      maximum_timeout: null,
    });
    await world.app.settings.write({ allow_runner_registration_token: false });
    expect((await register(reset.body.token)).status).toBe(403);
    await world.app.settings.write({ allow_runner_registration_token: true });
    await call('POST', `/projects/${project.id}/runners/reset_registration_token`);
    expect((await register(reset.body.token)).status).toBe(403);
    const ofGroup = await call('POST', `/groups/${group.id}/runners/reset_registration_token`);
    expect((await register(ofGroup.body.token)).status).toBe(201);
    expect((await call('POST', `/groups/${group.id}/runners/reset_registration_token`, stranger)).status).toBe(404);
    const instance = await call('POST', '/runners/reset_registration_token', world.admin);
    expect((await register(instance.body.token)).status).toBe(201);
    expect((await call('POST', '/runners/reset_registration_token', world.owner)).status).toBe(403);
  });
});

describe('the token', () => {
  it('of a registered runner stays of its kind, and unregistering with it removes the runner', async () => {
    const { body } = await call('POST', `/projects/${project.id}/runners/reset_registration_token`);
    const made = (await call('POST', '/runners', null, { json: { token: body.token } })).body;
    const runner = protocolRunner(world.app, made.token);
    expect((await call('GET', `/runners/${made.id}`)).body).toMatchObject({ created_by: null });
    const renewed = await call('POST', `/runners/${made.id}/reset_authentication_token`);
    expect(renewed.body.token).toMatch(/^glrtr-/);
    expect((await runner.json('DELETE', '/runners', { token: renewed.body.token })).status).toBe(204);
    expect((await call('GET', `/runners/${made.id}`, world.admin)).status).toBe(404);
    const both = { token: body.token, active: true, paused: false };
    expect(await call('POST', '/runners', null, { json: both })).toMatchObject({
      status: 400,
      body: { error: 'active, paused are mutually exclusive' },
    });
  });

  it('verifies, is renewed by itself and by people, and removes the runner', async () => {
    const made = await make({ runner_type: 'instance_type' }, world.admin);
    const { token, id } = made.body;
    const runner = protocolRunner(world.app, token);
    const verify = (given: string) =>
      runner.json('POST', '/runners/verify', { token: given, system_id: 's_1' }, { 'PRIVATE-TOKEN': given });
    const verified = await verify(token);
    expect([verified.status, JSON.parse(verified.text)]).toEqual([200, { id, token, token_expires_at: null }]);
    expect((await verify('glrt-wrong-wrong-wrong')).status).toBe(403);
    const renewed = await runner.json('POST', '/runners/reset_authentication_token', { token });
    const next = (JSON.parse(renewed.text) as { token: string }).token;
    expect([renewed.status, (await verify(token)).status, (await verify(next)).status]).toEqual([201, 403, 200]);
    expect((await call('POST', `/runners/${id}/reset_authentication_token`, stranger)).status).toBe(403);
    const again = await call('POST', `/runners/${id}/reset_authentication_token`, world.admin);
    expect([again.status, (await verify(next)).status]).toEqual([201, 403]);
    const last = again.body.token;
    expect((await call('GET', `/runners/${id}/managers`, world.admin)).body).toMatchObject([
      { system_id: 's_1', status: 'online' },
    ]);
    const drop = (body: Json) => runner.json('DELETE', '/runners/managers', body);
    expect((await drop({ token: last, system_id: 's_none' })).status).toBe(404);
    expect((await drop({ token: last, system_id: 's_1' })).status).toBe(204);
    expect((await runner.json('DELETE', '/runners', { token: last })).status).toBe(204);
    expect((await runner.json('DELETE', '/runners', { token: last })).status).toBe(403);
    expect((await call('GET', `/runners/${id}`, world.admin)).status).toBe(404);
  });
});

describe('reading', () => {
  it('[3/fields.runner/1 id, description, ip_address, runner_type, name, status, active, paused, is_shared, online, architecture, platform, revision, version, contacted_at, projects, name_with_namespace, path, path_with_namespace, tag_list, access_level, not_protected, maximum_timeout, run_untagged, locked] shows short and long forms', async () => {
    const made = await make({
      runner_type: 'project_type',
      project_id: project.id,
      tag_list: ['t'],
      maximum_timeout: 3600,
      description: 'd',
    });
    const before = await call('GET', `/runners/${made.body.id}`);
    expect(before.body).toMatchObject({
      status: 'never_contacted',
      online: false,
      contacted_at: null,
      ip_address: null,
      version: null,
    });
    await protocolRunner(world.app, made.body.token).request();
    const got = await call('GET', `/runners/${made.body.id}`);
    expect(got.body).toMatchObject({
      id: made.body.id,
      description: 'd',
      ip_address: '127.0.0.1',
      runner_type: 'project_type',
      name: null,
      created_by: { id: world.owner.user.id, username: world.owner.user.username, web_url: expect.any(String) },
      status: 'online',
      online: true,
      active: true,
      paused: false,
      is_shared: false,
      architecture: 'amd64',
      platform: 'linux',
      version: '17.2.0',
      revision: null,
      contacted_at: expect.stringMatching(/Z$/),
      tag_list: ['t'],
      access_level: 'not_protected',
      maximum_timeout: 3600,
      run_untagged: true,
      locked: false,
      projects: [
        {
          id: project.id,
          name: expect.any(String),
          name_with_namespace: expect.stringContaining(' / '),
          path: project.path.split('/').at(-1),
          path_with_namespace: project.path,
        },
      ],
    });
    const [listed] = (await call('GET', '/runners')).body as unknown as Json[];
    expect(Object.keys(listed ?? {}).sort()).toEqual(
      [
        'active',
        'created_at',
        'created_by',
        'description',
        'id',
        'ip_address',
        'is_shared',
        'job_execution_status',
        'name',
        'online',
        'paused',
        'runner_type',
        'status',
      ].sort(),
    );
    for (const [seconds, status] of [
      [3 * 3600, 'offline'],
      [8 * 86_400, 'stale'],
    ] as const) {
      const at = new Date(Date.now() - seconds * 1000);
      await world.app.db.updateTable('runners').set({ contacted_at: at }).where('id', '=', made.body.id).execute();
      expect((await call('GET', `/runners/${made.body.id}`)).body).toMatchObject({ status, online: false });
      expect(ids(await call('GET', '/runners', world.owner, { query: { status } }))).toEqual([made.body.id]);
    }
  });

  it('[3/api.runners/3] instance runners are seen by everybody, others by those who manage them', async () => {
    const shared = await make({ runner_type: 'instance_type' }, world.admin);
    const own = await make({ runner_type: 'group_type', group_id: group.id });
    expect((await call('GET', `/runners/${shared.body.id}`, stranger)).status).toBe(200);
    expect((await call('GET', `/runners/${own.body.id}`, stranger)).status).toBe(403);
    expect((await call('GET', `/runners/${own.body.id}`, null)).status).toBe(401);
    expect((await call('GET', `/runners/${own.body.id}`)).status).toBe(200);
    expect((await call('GET', '/runners/999999')).status).toBe(404);
    expect((await call('GET', '/runners/nonsense')).status).toBe(400);
  });

  it('[3/states.runner-status/1 online, offline, stale, never_contacted, active, paused] a paused runner that has called is paused', async () => {
    const { body: made } = await make({ runner_type: 'project_type', project_id: project.id, paused: true });
    const shown = async () => (await call('GET', `/runners/${made.id}`)).body;
    const found = async (status: string) =>
      ids(await call('GET', '/runners', world.owner, { query: { status, per_page: 100 } })).includes(made.id);
    const calledBefore = (seconds: number) =>
      world.app.db
        .updateTable('runners')
        .set({ contacted_at: new Date(Date.now() - seconds * 1000) })
        .where('id', '=', made.id)
        .execute();
    expect(await shown()).toMatchObject({ status: 'never_contacted', paused: true, active: false });
    expect([await found('never_contacted'), await found('paused'), await found('active')]).toEqual([true, true, false]);
    await protocolRunner(world.app, made.token).request();
    expect(await shown()).toMatchObject({ status: 'paused', paused: true, online: true });
    await calledBefore(3 * 3600);
    expect(await shown()).toMatchObject({ status: 'paused', online: false });
    expect(await found('offline')).toBe(true);
    await calledBefore(8 * 86_400);
    expect(await shown()).toMatchObject({ status: 'stale', paused: true });
    expect(await found('stale')).toBe(true);
    await call('PUT', `/runners/${made.id}`, world.owner, { json: { paused: false } });
    await calledBefore(0);
    expect(await shown()).toMatchObject({ status: 'online', paused: false, active: true });
    expect([await found('online'), await found('active'), await found('paused')]).toEqual([true, true, false]);
  });

  it.each([
    ['[3/api.runners/1]', 'GET /runners'],
    ['[3/api.runners/1 /runners/all]', '/runners/all'],
    ['[3/api.runners/1 /projects/:id/runners]', '/projects/:id/runners'],
    ['[3/api.runners/1 /groups/:id/runners]', '/groups/:id/runners'],
    ['[3/api.runners/1 /runners/:id/jobs]', '/runners/:id/jobs'],
  ])('%s %s has 20 on a page', async (_row, list) => {
    const { body } = await make({ runner_type: 'instance_type' }, world.admin);
    const id = list.includes('projects') ? project.id : list.includes('groups') ? group.id : body.id;
    const answer = await call('GET', list.replace('GET ', '').replace(':id', String(id)), world.admin);
    expect([answer.status, answer.headers.get('x-per-page')]).toEqual([200, '20']);
  });

  it('[3/api.runners/2 GET /runners, scope, active, paused, online, offline, type, instance_type, group_type, project_type, status, stale, never_contacted, tag_list, version_prefix] [3/fields.runner/1 instance_type, group_type, project_type] filters', async () => {
    const other = await buildGroup(world.app, { owner: stranger.user });
    const a = (await make({ runner_type: 'group_type', group_id: other.id, tag_list: ['x', 'y'] }, stranger)).body;
    const b = (await make({ runner_type: 'group_type', group_id: other.id, paused: true, tag_list: ['y'] }, stranger))
      .body;
    await protocolRunner(world.app, a.token).request();
    const mine = async (query: Json) => ids(await call('GET', '/runners', stranger, { query }));
    expect(await mine({})).toEqual([b.id, a.id]);
    expect(await mine({ paused: true })).toEqual([b.id]);
    expect(await mine({ status: 'paused' })).toEqual([b.id]);
    expect(await mine({ scope: 'active' })).toEqual([a.id]);
    expect(await mine({ scope: 'paused' })).toEqual([b.id]);
    expect(await mine({ scope: 'online' })).toEqual([a.id]);
    expect(await mine({ scope: 'offline' })).toEqual([]);
    expect(await mine({ status: 'stale' })).toEqual([]);
    expect(await mine({ status: 'active' })).toEqual([a.id]);
    expect(await mine({ type: 'group_type' })).toEqual([b.id, a.id]);
    expect(await mine({ type: 'instance_type' })).toEqual([]);
    expect(await call('GET', '/runners', stranger, { query: { scope: 'specific' } })).toMatchObject({
      status: 400,
      body: { message: 'Scope contains invalid value' },
    });
    expect(await mine({ status: 'online' })).toEqual([a.id]);
    expect(await mine({ status: 'never_contacted' })).toEqual([b.id]);
    expect(await mine({ type: 'project_type' })).toEqual([]);
    expect(await mine({ tag_list: 'x,y' })).toEqual([a.id]);
    expect(await mine({ tag_list: ['y'] })).toEqual([b.id, a.id]);
    for (const version_prefix of ['17.', '17', '17.2.0']) expect(await mine({ version_prefix })).toEqual([a.id]);
    for (const version_prefix of ['18', '1', '17.20']) expect(await mine({ version_prefix })).toEqual([]);
    for (const query of [{ status: 'nonsense' }, { version_prefix: 'nonsense' }, { version_prefix: '' }])
      expect((await call('GET', '/runners', stranger, { query })).status).toBe(400);
    const many = await call('GET', '/runners', stranger, { query: { per_page: 1 } });
    expect([many.headers.get('x-per-page'), many.headers.get('x-total')]).toEqual(['1', '2']);
    expect((await call('GET', '/runners', null)).status).toBe(401);
  });

  it('[3/api.runners/2 GET /runners/all, /all, specific, shared] administrators list all, also by the old scopes', async () => {
    const a = (await make({ runner_type: 'group_type', group_id: group.id })).body;
    const b = (await make({ runner_type: 'project_type', project_id: project.id })).body;
    expect((await call('GET', '/runners/all', stranger)).status).toBe(403);
    expect((await call('GET', '/runners/all', null)).status).toBe(401);
    const shared = await call('GET', '/runners/all', world.admin, { query: { scope: 'specific', per_page: 100 } });
    expect((shared.body as unknown as Json[]).every((runner) => runner.runner_type !== 'instance_type')).toBe(true);
    expect(ids(shared)).toEqual(expect.arrayContaining([a.id, b.id]));
    expect(ids(await call('GET', '/runners/all', world.admin, { query: { scope: 'shared' } }))).not.toContain(a.id);
  });

  it('[3/api.runners/6 status, running, success, failed, canceled, order_by, id, sort, asc, desc] [3/fields.runner/2 id, ip_address, status, stage, name, ref, tag, coverage, created_at, started_at, finished_at, duration, user, commit, short_id, title, parent_ids, message, author_name, author_email, authored_date, committer_name, committer_email, committed_date, pipeline, sha, project, description, name_with_namespace, path, path_with_namespace] jobs of projects that the caller may read', async () => {
    const made = await make({ runner_type: 'instance_type', tag_list: ['jobs'], run_untagged: false }, world.admin);
    const runner = protocolRunner(world.app, made.body.token);
    await project.push('one: {script: [x], tags: [jobs]}\ntwo: {script: [x], tags: [jobs]}');
    const first = await runner.run();
    const second = await runner.run('failed');
    const jobs = async (query: Json, account: Account = world.owner) =>
      ids(await call('GET', `/runners/${made.body.id}/jobs`, account, { query }));
    expect(await jobs({})).toEqual([second.id, first.id]);
    expect(await jobs({ order_by: 'id', sort: 'asc' })).toEqual([first.id, second.id]);
    expect(await jobs({ order_by: 'id', sort: 'desc' })).toEqual([second.id, first.id]);
    expect(await jobs({ sort: 'asc' })).toEqual([first.id, second.id]);
    expect(await jobs({ status: 'failed' })).toEqual([second.id]);
    expect(await jobs({ status: 'success' })).toEqual([first.id]);
    for (const status of ['running', 'canceled']) expect(await jobs({ status })).toEqual([]);
    expect((await call('GET', `/runners/${made.body.id}/jobs?status=nonsense`)).status).toBe(400);
    expect((await call('GET', `/runners/${made.body.id}/jobs?order_by=name`)).status).toBe(400);
    expect(await jobs({}, stranger)).toEqual([]);
    expect(await jobs({}, world.admin)).toHaveLength(2);
    const [entry] = (await call('GET', `/runners/${made.body.id}/jobs`)).body as unknown as Json[];
    expect(entry).toMatchObject({
      ip_address: '127.0.0.1',
      ...{ status: 'failed', stage: 'test', ref: 'main', tag: false, coverage: null },
      user: { username: world.owner.user.username },
      commit: { title: 'Change', parent_ids: [expect.any(String)], committer_name: expect.any(String) },
      pipeline: { ref: 'main', status: 'failed' },
      project: { id: project.id, path_with_namespace: project.path, created_at: expect.stringMatching(/Z$/) },
    });
    for (const [of, names] of [
      [
        entry,
        'id ip_address status stage name ref tag coverage created_at started_at finished_at duration user commit',
      ],
      [entry?.commit, 'id short_id title created_at parent_ids message author_name author_email authored_date'],
      [entry?.commit, 'committer_name committer_email committed_date'],
      [entry?.pipeline, 'id sha ref status'],
      [entry?.project, 'id description name name_with_namespace path path_with_namespace created_at'],
    ] as const)
      expect(Object.keys(of as Json)).toEqual(expect.arrayContaining(names.split(' ')));
  });
});

describe('changes', () => {
  it('[3/api.runners/4 description, active, paused, tag_list, run_untagged, locked, access_level, not_protected, ref_protected, maximum_timeout] [3/fields.runner/1 ref_protected] are for those who manage it', async () => {
    const made = await make({ runner_type: 'project_type', project_id: project.id });
    const path = `/runners/${made.body.id}`;
    const put = (json: Json, account: Account | null = world.owner) => call('PUT', path, account, { json });
    const all = {
      description: 'new',
      tag_list: ['q'],
      run_untagged: false,
      locked: true,
      access_level: 'ref_protected',
      maximum_timeout: 7200,
      paused: true,
    };
    expect(await put(all)).toMatchObject({ status: 200, body: all });
    expect((await put({ active: true })).body).toMatchObject({ active: true, paused: false, description: 'new' });
    expect((await put({ access_level: 'not_protected' })).body).toMatchObject({ access_level: 'not_protected' });
    expect(await put({ active: true, paused: false })).toMatchObject({
      status: 400,
      body: { error: 'active, paused are mutually exclusive' },
    });
    expect(await put({})).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^description, .* are missing, at least one parameter must be provided$/) },
    });
    expect((await put({ tag_list: [] })).status).toBe(400);
    expect((await put({ maximum_timeout: 1 })).status).toBe(400);
    expect((await put({ access_level: 'x' })).status).toBe(400);
    expect((await put({ paused: true }, stranger)).status).toBe(403);
    expect((await put({ paused: true }, null)).status).toBe(401);
    expect((await call('DELETE', path, stranger)).status).toBe(403);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(404);
  });
});

describe('pausing', () => {
  it('[3/api.runners/5 paused=true, active=false] [3/states.runner-status/2 any, paused] stops new jobs, and starts them again', async () => {
    const { body: made } = await make({ runner_type: 'project_type', project_id: project.id, tag_list: ['p'] });
    const runner = protocolRunner(world.app, made.token);
    await project.push('p: {script: [x], tags: [p]}');
    const put = (form: Record<string, string>) => call('PUT', `/runners/${made.id}`, world.owner, { form });
    for (const form of [{ paused: 'true' }, { active: 'false' }] as Record<string, string>[]) {
      expect((await put(form)).body).toMatchObject({ paused: true, active: false });
      expect((await runner.request()).status).toBe(204);
      expect((await put({ paused: 'false' })).body).toMatchObject({ paused: false, active: true });
    }
    expect(await runner.next()).toMatchObject({ job_info: { name: 'p' } });
  });
});

describe('places', () => {
  it('[3/api.runners/7 scope, type, status, paused, tag_list, version_prefix] a project lists what may run its jobs, and takes project runners of others', async () => {
    const shared = (await make({ runner_type: 'instance_type' }, world.admin)).body.id;
    const ofGroup = (await make({ runner_type: 'group_type', group_id: group.id })).body.id;
    const elsewhere = await world.project();
    const theirs = (await make({ runner_type: 'project_type', project_id: elsewhere.id })).body.id;
    const path = `/projects/${project.id}/runners`;
    const listed = await call('GET', path, world.owner, { query: { per_page: 100 } });
    expect(ids(listed)).toEqual(expect.arrayContaining([shared, ofGroup]));
    expect(ids(listed)).not.toContain(theirs);
    expect(ids(await call('GET', path, world.owner, { query: { type: 'group_type', per_page: 100 } }))).not.toContain(
      shared,
    );
    const filtered = async (query: Json) =>
      ids(await call('GET', path, world.owner, { query: { ...query, per_page: 100 } })).filter(
        (id) => id === shared || id === ofGroup,
      );
    expect(await filtered({ scope: 'shared' })).toEqual([shared]);
    expect(await filtered({ scope: 'specific' })).toEqual([ofGroup]);
    expect(await filtered({ type: 'instance_type' })).toEqual([shared]);
    expect(await filtered({ status: 'never_contacted' })).toEqual([ofGroup, shared]);
    expect(await filtered({ status: 'online' })).toEqual([]);
    expect(await filtered({ paused: true })).toEqual([]);
    expect(await filtered({ tag_list: 'none' })).toEqual([]);
    expect(await filtered({ version_prefix: '99.' })).toEqual([]);
    expect((await call('GET', path, stranger)).status).toBe(404);
    const enable = (runner: number, account: Account = world.owner) =>
      call('POST', path, account, { json: { runner_id: runner } });
    expect((await enable(shared)).status).toBe(403);
    expect((await enable(theirs, stranger)).status).toBe(404);
    expect(await enable(theirs)).toMatchObject({ status: 201, body: { id: theirs } });
    expect((await enable(theirs)).status).toBe(400);
    expect((await call('DELETE', `/runners/${theirs}`)).status).toBe(403);
    expect((await call('DELETE', `${path}/${theirs}`)).status).toBe(204);
    expect((await call('DELETE', `${path}/${theirs}`)).status).toBe(404);
    expect((await call('DELETE', `/projects/${elsewhere.id}/runners/${theirs}`)).status).toBe(403);
    const inGroup = await call('GET', `/groups/${group.id}/runners`, world.owner, { query: { per_page: 100 } });
    expect(ids(inGroup)).toEqual(expect.arrayContaining([shared, ofGroup]));
    expect((await call('GET', `/groups/${group.id}/runners`, stranger)).status).toBe(404);
  });
});

describe('the built-in runner', () => {
  it('[security 25] is one row for all processes, and without isolation serves administrators only', async () => {
    const { db, kernels } = world.app;
    const first = await ensureBuiltInRunner(db, kernels.secrets);
    expect(await ensureBuiltInRunner(db, kernels.secrets)).toEqual(first);
    const claim = (builtIn: 'all' | 'administrators') =>
      db.transaction().execute(async (tx) => {
        const claimed = await claimJob(tx, {
          runnerId: first.id,
          managerId: null,
          tokenSha256: Buffer.from(`t${Math.random()}`),
          cancelGracefully: false,
          builtIn,
        });
        const job = claimed?.job;
        if (job) await tx.updateTable('jobs').set({ status: 'canceled' }).where('id', '=', job.id).execute();
        return job?.name ?? null;
      });
    await db.updateTable('jobs').set({ status: 'canceled' }).where('status', '=', 'pending').execute();
    const theirs = await world.project();
    await theirs.push('common: {script: [x]}');
    expect(await claim('administrators')).toBeNull();
    expect(await claim('all')).toBe('common');
    // An administrator's project, and what another member pushes to it.
    const admin = await buildAdmin(world.app);
    const account = { user: admin, token: (await buildToken(world.app, { user: admin })).secret };
    const own = await world.project();
    const row = await db
      .updateTable('projects')
      .set({ creator_id: admin.id })
      .where('id', '=', own.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await own.push('member: {script: [x]}');
    expect(await claim('administrators')).toBeNull();
    await buildMember(world.app, { user: admin, of: row, level: Level.maintainer });
    await own.push('administrator: {script: [x]}', { token: account.token, branch: 'feature' });
    expect(await claim('administrators')).toBe('administrator');
    expect(await claim('all')).toBe('member');
  });
});
