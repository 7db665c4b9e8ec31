/** Service accounts: made, changed, given tokens, kept where they belong, and removed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildAdmin, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let group: Namespace;
let subgroup: Namespace;
let project: Project;
const secrets = new Map<string, string>();
const as = (name: string): string => secrets.get(name) ?? '';
const password = 'correct horse battery';

beforeAll(async () => {
  app = await startTestApp({
    background: true,
    environment: { MILLRACE_SMTP_URL: 'smtp://127.0.0.1:9' },
  });
  secrets.set('admin', (await buildToken(app, { user: await buildAdmin(app) })).secret);
  group = await buildGroup(app);
  subgroup = await buildGroup(app, { parent: group });
  project = await buildProject(app, { namespace: group });
  for (const role of ['developer', 'maintainer', 'owner'] as const) {
    const { user, secret } = await buildToken(app);
    await buildMember(app, { user, of: group, level: Level[role] });
    secrets.set(role, secret);
  }
  secrets.set('stranger', (await buildToken(app)).secret);
});
afterAll(() => app.close());

const call = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, token: string, json?: Json) =>
  app.api<Json>(method, url, { token, ...(json ? { json } : {}) });
const list = (url: string, token: string, query = {}) => app.api<Json[]>('GET', url, { token, query });
const me = (token: unknown) => call('GET', '/user', String(token));
const gone = (id: unknown) =>
  eventually('the account is removed', async () => (await call('GET', `/users/${id}`, as('admin'))).status === 404);

describe.each(['group', 'project'] as const)('/%ss/:id/service_accounts', (noun) => {
  const place = () => (noun === 'project' ? `/projects/${project.id}` : `/groups/${group.id}`);
  const base = () => `${place()}/service_accounts`;
  const manager = noun === 'project' ? 'maintainer' : 'owner';
  const make = async (json: Json = {}) => (await call('POST', base(), as('admin'), json)).body;
  const issue = async (id: unknown, json: Json = {}, token = as(manager)) =>
    call('POST', `${base()}/${id}/personal_access_tokens`, token, { name: 'x', scopes: ['api'], ...json });

  it('are made with a generated or a given name, listed in order and changed', async () => {
    const made = await call('POST', base(), as('admin'));
    const id = noun === 'project' ? project.id : group.id;
    expect(made).toMatchObject({ status: 201, body: { name: 'Service account user' } });
    expect(made.body.username).toMatch(new RegExp(`^service_account_${noun}_${id}_[0-9a-f]{32}$`));
    expect(made.body.email).toMatch(new RegExp(`^${made.body.username}@noreply\\.`));
    const named = await make({ name: 'Deployer', username: `deployer-${noun}`, email: `deployer-${noun}@example.com` });
    expect(named).toMatchObject({ name: 'Deployer', username: `deployer-${noun}` });
    const shown = await list(base(), as(manager), { order_by: 'username', sort: 'asc' });
    expect(shown.body.map(({ id }) => id)).toEqual([named.id, made.body.id]);
    expect((await list(base(), as(manager))).body[0]?.id).toBe(named.id);
    expect((await list('/service_accounts', as('admin'))).body).toEqual([]);

    const renamed = await call('PATCH', `${base()}/${named.id}`, as(manager), {
      name: 'Shipper',
      email: `s-${noun}@x.example`,
    });
    expect(renamed).toMatchObject({
      status: 200,
      body: { id: named.id, name: 'Shipper', username: `deployer-${noun}` },
    });
    for (const [wrong, why] of [
      [{ username: `deployer-${noun}` }, 'Username has already been taken'],
      [{ email: String(made.body.email) }, 'Email has already been taken'],
    ] as const)
      expect(await call('POST', base(), as('admin'), wrong)).toMatchObject({
        status: 400,
        body: { message: `400 Bad request - ${why}` },
      });
    const taken = await call('PATCH', `${base()}/${made.body.id}`, as(manager), { username: `deployer-${noun}` });
    expect([taken.status, (await call('POST', base(), as('admin'), { username: '-x' })).status]).toEqual([400, 400]);
    for (const row of [made.body, named]) await call('DELETE', `${base()}/${row.id}`, as('admin'));
  });

  it('are out of reach below the role, for strangers and below another place', async () => {
    const { id } = await make();
    const rest = [base(), `${base()}/${id}/personal_access_tokens`];
    for (const url of rest) {
      expect((await list(url, as('developer'))).status).toBe(403);
      expect((await list(url, as('stranger'))).status).toBe(404);
      expect((await app.api('GET', url)).status).toBe(401);
    }
    const other =
      noun === 'project' ? `/projects/${(await buildProject(app)).id}` : `/groups/${(await buildGroup(app)).id}`;
    const token = await issue(id);
    for (const [method, below] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/personal_access_tokens'],
      ['DELETE', `/personal_access_tokens/${token.body.id}`],
      ['POST', `/personal_access_tokens/${token.body.id}/rotate`],
    ] as const)
      expect((await call(method, `${other}/service_accounts/${id}${below}`, as('admin'))).status).toBe(404);
    const second = await make();
    const swapped = `${base()}/${second.id}/personal_access_tokens/${token.body.id}`;
    expect((await call('DELETE', swapped, as('admin'))).status).toBe(404);
    expect((await me(token.body.token)).status).toBe(200);
  });

  it('work with tokens alone, which rotate and end', async () => {
    const { id, username } = await make({ name: `worker ${noun}` });
    const first = await issue(id, { description: 'nightly', scopes: ['api', 'read_repository'] });
    expect(first).toMatchObject({ status: 201, body: { user_id: id, active: true, description: 'nightly' } });
    expect(await me(first.body.token)).toMatchObject({ body: { id, bot: true } });
    const seen = await call('GET', `/users/${id}`, as('admin'));
    expect(seen.body).toMatchObject({ using_license_seat: false, namespace_id: null });
    expect((await issue(id, { scopes: ['everything'] })).status).toBe(400);
    const more = await call('POST', '/user/personal_access_tokens', String(first.body.token), {
      name: 'y',
      scopes: ['self_rotate'],
    });
    expect(more.status).toBe(403);
    const url = `${base()}/${id}/personal_access_tokens`;
    const next = await call('POST', `${url}/${first.body.id}/rotate`, as(manager));
    expect(next).toMatchObject({ status: 200, body: { user_id: id, scopes: ['api', 'read_repository'] } });
    expect([(await me(first.body.token)).status, (await me(next.body.token)).status]).toEqual([401, 200]);
    expect((await list(url, as(manager), { state: 'active' })).body.map((row) => row.id)).toEqual([next.body.id]);
    expect((await list(url, as(manager))).body).toHaveLength(2);
    expect((await call('DELETE', `${url}/${next.body.id}`, as(manager))).status).toBe(204);
    expect((await me(next.body.token)).status).toBe(401);
    // A password that an administrator gave it opens nothing.
    await app.api('PUT', `/users/${id}`, { token: as('admin'), json: { password: `${password} 2` } });
    const signIn = await app.request('POST', '/-/session', { json: { login: username, password: `${password} 2` } });
    expect(signIn.status).toBe(401);
  });

  it('have tokens without an end where their top-level group lets them', async () => {
    const { id } = await make();
    const enforced = (of: Namespace, service_access_tokens_expiration_enforced: boolean) =>
      call('PUT', `/groups/${of.id}`, as('owner'), { service_access_tokens_expiration_enforced });
    const endOf = async (json: Json = {}) => (await issue(id, json)).body.expires_at;
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    expect(await endOf()).toBe(day(365));
    // What the instance says is for accounts of the instance.
    await app.settings.write({ service_access_tokens_expiration_enforced: false });
    expect(await endOf()).toBe(day(365));
    await app.settings.write({ service_access_tokens_expiration_enforced: true });
    expect((await enforced(subgroup, false)).status).toBe(200);
    expect(await endOf()).toBe(day(365));
    expect((await enforced(group, false)).status).toBe(200);
    expect(await endOf()).toBe(null);
    expect(await endOf({ expires_at: day(9) })).toBe(day(9));
    const lasting = (await issue(id)).body;
    const rotated = await call('POST', `${base()}/${id}/personal_access_tokens/${lasting.id}/rotate`, as(manager));
    expect(rotated).toMatchObject({ status: 200, body: { expires_at: day(365) } });
    // People, and bots of tokens of places, are not programs of it.
    const bot = await call('POST', `${place()}/access_tokens`, as('owner'), { name: 'x', scopes: ['api'] });
    expect(bot).toMatchObject({ status: 201, body: { expires_at: day(365) } });
    for (const each of [group, subgroup]) await enforced(each, true);
    expect(await endOf()).toBe(day(365));
  });

  it('are members where they belong and nowhere else, without a seat', async () => {
    const { id } = await make();
    const token = String((await issue(id)).body.token);
    const add = (where: string) => call('POST', `${where}/members`, as('admin'), { user_id: id, access_level: 30 });
    expect((await call('GET', `/projects/${project.id}`, token)).status).toBe(404);
    expect((await add(place())).status).toBe(201);
    expect((await call('GET', `/projects/${project.id}`, token)).status).toBe(200);
    const inside = noun === 'group' ? `/groups/${subgroup.id}` : place();
    expect((await add(inside)).status).toBe(noun === 'group' ? 201 : 409);
    for (const where of [`/groups/${(await buildGroup(app)).id}`, `/projects/${(await buildProject(app)).id}`])
      expect(await add(where)).toMatchObject({ status: 400, body: { message: { user: expect.anything() } } });
    const billed = await list(`/groups/${group.id}/billable_members`, as('owner'));
    expect(billed.body.map((row) => row.id)).not.toContain(id);
  });

  it('go with their tokens, and are among nobody’s accounts when their place goes', async () => {
    const { id } = await make();
    const token = (await issue(id)).body.token;
    expect((await call('DELETE', `${base()}/${id}`, as('admin'))).status).toBe(204);
    expect((await me(token)).status).toBe(401);
    expect((await call('PATCH', `${base()}/${id}`, as('admin'), { name: 'x' })).status).toBe(404);
    await gone(id);
    const events = await list(`${place()}/audit_events`, as('admin'));
    expect(events.body.map((event) => event.event_name)).toContain('service_account_removed');

    const doomed =
      noun === 'project' ? `/projects/${(await buildProject(app)).id}` : `/groups/${(await buildGroup(app)).id}`;
    const orphan = await call('POST', `${doomed}/service_accounts`, as('admin'));
    const path = `/users/${orphan.body.id}/personal_access_tokens`;
    const last = await call('POST', path, as('admin'), { name: 'x', scopes: ['api'] });
    expect((await me(last.body.token)).status).toBe(200);
    await call('DELETE', doomed, as('admin'));
    const { body } = await call('GET', doomed, as('admin'));
    const full_path = String(body.full_path ?? body.path_with_namespace);
    await call('DELETE', doomed, as('admin'), { permanently_remove: true, full_path });
    await gone(orphan.body.id);
    expect((await me(last.body.token)).status).toBe(401);
    expect((await list('/service_accounts', as('admin'))).body).toEqual([]);
  });

  it('security 16: nobody gets a token of an account that may do more than they', async () => {
    const { id } = await make();
    const token = await issue(id);
    await app.api('PUT', `/users/${id}`, { token: as('admin'), json: { admin: true } });
    expect((await issue(id, {}, as('owner'))).status).toBe(403);
    const rotate = `${base()}/${id}/personal_access_tokens/${token.body.id}/rotate`;
    expect((await call('POST', rotate, as('owner'))).status).toBe(403);
    expect((await issue(id, {}, as('admin'))).status).toBe(201);
  });
});

it('only groups at the top have them, and their owners make them where the setting says so', async () => {
  const below = `/groups/${subgroup.id}/service_accounts`;
  for (const method of ['GET', 'POST'] as const) expect((await call(method, below, as('admin'))).status).toBe(400);
  const base = `/groups/${group.id}/service_accounts`;
  expect((await call('POST', base, as('owner'))).status).toBe(403);
  const { body } = await call('POST', base, as('admin'));
  expect((await call('DELETE', `${base}/${body.id}`, as('owner'))).status).toBe(403);
  expect((await call('PATCH', `${base}/${body.id}`, as('owner'), { name: 'Other' })).status).toBe(200);
  // Projects have theirs from maintainers on, as access tokens.
  expect((await call('POST', `/projects/${project.id}/service_accounts`, as('maintainer'))).status).toBe(201);
});

it('/service_accounts: of the instance, for administrators; filters of accounts know them', async () => {
  expect((await call('GET', '/service_accounts', as('owner'))).status).toBe(403);
  expect((await app.api('POST', '/service_accounts')).status).toBe(401);
  const { body, status } = await call('POST', '/service_accounts', as('admin'), { username: 'instance-robot' });
  expect([status, body.username]).toEqual([201, 'instance-robot']);
  expect((await list('/service_accounts', as('admin'))).body.map(({ id }) => id)).toEqual([body.id]);
  const changed = await call('PATCH', `/service_accounts/${body.id}`, as('admin'), { username: 'robot-of-all' });
  expect(changed).toMatchObject({ status: 200, body: { id: body.id, username: 'robot-of-all' } });
  const others = await call('POST', `/projects/${project.id}/service_accounts`, as('admin'));
  expect((await call('PATCH', `/service_accounts/${others.body.id}`, as('admin'), { name: 'x' })).status).toBe(404);
  const found = async (query: Json) =>
    (await list('/users', as('admin'), { ...query, search: 'robot-of-all' })).body.map(({ id }) => id);
  for (const query of [
    {},
    { without_project_bots: true },
    { exclude_internal: true },
    { exclude_humans: true },
    { filter: 'service_accounts' },
  ])
    expect(await found(query), JSON.stringify(query)).toEqual([body.id]);
  for (const query of [{ humans: true }, { filter: 'bots' }]) expect(await found(query)).toEqual([]);
  const member = { user_id: body.id, access_level: 40 };
  expect((await call('POST', `/groups/${subgroup.id}/members`, as('owner'), member)).status).toBe(201);
});

it('an address of their own counts when it is confirmed, or at once where nothing is', async () => {
  const hard = (email_confirmation_setting: string) =>
    app.api('PUT', '/application/settings', { token: as('admin'), json: { email_confirmation_setting } });
  expect((await hard('hard')).status).toBe(200);
  const waiting = await call('POST', '/service_accounts', as('admin'), { email: 'program@corp.example' });
  expect(waiting.body).toMatchObject({ unconfirmed_email: 'program@corp.example' });
  expect(waiting.body.email).toMatch(/@noreply\./);
  const changed = await call('PATCH', `/service_accounts/${waiting.body.id}`, as('admin'), {
    email: 'other@corp.example',
  });
  expect(changed.body).toMatchObject({ email: waiting.body.email, unconfirmed_email: 'other@corp.example' });
  expect((await hard('off')).status).toBe(200);
  const ready = await call('POST', '/service_accounts', as('admin'), { email: 'ready@corp.example' });
  expect(ready.body).toMatchObject({ email: 'ready@corp.example' });
  expect(ready.body).not.toHaveProperty('unconfirmed_email');
});
