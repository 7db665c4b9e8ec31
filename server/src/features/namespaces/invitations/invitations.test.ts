/** Invitations by mail, from both sides. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import {
  type BuiltToken,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let mails: MailServer;
let owner: BuiltToken;
let group: Namespace;
let project: Project;

beforeAll(async () => {
  mails = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mails.url}?verify=off` } });
  owner = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user });
  project = await buildProject(app, { namespace: group });
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

const call = callsOf(() => app);
const address = () => `${unique('invited')}@example.com`;
const tokenOf = async (email: string) =>
  new URL((await mails.next(email)).link ?? '').searchParams.get('invitation_token') ?? '';
const invite = (at: string, json: Json, token: BuiltToken | undefined = owner) =>
  call('POST', `${at}/invitations`, token, { access_level: 30, ...json });

describe('[3/api.members/7] those who invite', () => {
  test.each(['groups', 'projects'] as const)('/%s: invited, listed, changed, taken back', async (kind) => {
    const at = `/${kind}/${kind === 'groups' ? group.id : project.id}`;
    const email = address();
    const json = { email, expires_at: '2999-12-31', invite_source: 'api' };
    expect(await invite(at, json)).toMatchObject({ status: 201, body: { status: 'success' } });
    expect((await mails.next(email)).header('Subject')).toContain(owner.user.name);
    const list = (query = '') => call<Json[]>('GET', `${at}/invitations${query}`, owner);
    expect((await list(`?query=${email.toUpperCase()}`)).body).toMatchObject([
      {
        invite_email: email,
        access_level: 30,
        expires_at: '2999-12-31',
        created_by_name: owner.user.name,
        user_name: null,
      },
    ]);
    expect((await list('?query=other@example.com')).body).toEqual([]);
    const one = `${at}/invitations/${encodeURIComponent(email)}`;
    expect(await call('PUT', one, owner, { access_level: 20, expires_at: null })).toMatchObject({
      status: 200,
      body: { access_level: 20, expires_at: null },
    });
    expect((await call('PUT', one, owner, { access_level: 31 })).status).toBe(400);
    expect(await call('DELETE', one, owner)).toMatchObject({ status: 204, body: null });
    expect((await call('DELETE', one, owner)).status).toBe(404);
    expect((await call('PUT', one, owner, {})).status).toBe(404);
    expect((await list()).body).toEqual([]);
  });

  test('several at once, each with its own result; people with a confirmed address are members at once', async () => {
    const at = `/groups/${group.id}`;
    const [fresh, twice] = [address(), address()];
    await invite(at, { email: twice });
    const known = await buildUser(app);
    const unconfirmed = await buildUser(app, { confirmed: false });
    const emails = [fresh, twice, 'nonsense', known.email, owner.user.email, unconfirmed.email];
    const answer = await invite(at, { email: emails.join(',') });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        status: 'error',
        message: {
          [twice]: "The member's email address has already been taken",
          nonsense: 'Invite email is invalid',
          [owner.user.email]: 'Member already exists',
        },
      },
    });
    expect(Object.keys(answer.body.message as Json)).toHaveLength(3);
    expect((await call('GET', `${at}/members/${known.id}`, owner)).body).toMatchObject({ access_level: 30 });
    expect((await call('GET', `${at}/members/${unconfirmed.id}`, owner)).status).toBe(404);
    const byId = await buildUser(app);
    expect((await invite(at, { user_id: byId.id })).body).toEqual({ status: 'success' });
  });

  test('what is refused', async () => {
    const at = `/groups/${group.id}`;
    const developer = await buildToken(app);
    await buildMember(app, { user: developer.user, of: group, level: Level.developer });
    expect((await invite(at, { email: address() }, developer)).status).toBe(403);
    expect((await call('POST', `${at}/invitations`, undefined, { email: address(), access_level: 30 })).status).toBe(
      401,
    );
    expect((await invite(at, {})).status).toBe(400);
    expect((await invite(at, { email: '' })).status).toBe(400);
    expect((await invite(at, { email: address(), access_level: 31 })).status).toBe(400);
    expect((await invite(at, { email: address(), member_role_id: 3 })).status).toBe(400);
    const maintainer = await buildToken(app);
    await buildMember(app, { user: maintainer.user, of: project, level: Level.maintainer });
    const higher = { email: address(), access_level: 50 };
    expect((await invite(`/projects/${project.id}`, higher, maintainer)).status).toBe(403);
  });
});

describe('[security 13] those who are invited', () => {
  const invited = async (json: Json = {}) => {
    const email = address();
    await invite(`/groups/${group.id}`, { email, ...json });
    return { email, token: await tokenOf(email) };
  };

  test('anybody who has the link becomes a member, once; the token is kept as a hash alone', async () => {
    const { token, email } = await invited({ expires_at: '2999-12-31' });
    const json = { invitation_token: token };
    expect(await call('POST', '/invitations/look', undefined, json)).toMatchObject({
      status: 200,
      body: { source_type: 'group', source_name: group.full_name, role: 'Developer', invite_email: email },
    });
    const rows = await app.db.selectFrom('member_invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await call('POST', '/invitations/accept', undefined, json)).status).toBe(401);
    const user = await buildToken(app);
    const [one, two] = await Promise.all([
      call('POST', '/invitations/accept', user, json),
      call('POST', '/invitations/accept', user, json),
    ]);
    expect([one.status, two.status].sort()).toEqual([200, 404]);
    expect((await call('GET', `/groups/${group.id}/members/${user.user.id}`, owner)).body).toMatchObject({
      access_level: 30,
      expires_at: '2999-12-31',
      created_by: { id: owner.user.id },
    });
    expect((await call('POST', '/invitations/look', undefined, json)).status).toBe(404);
  });

  test('an invitation never lowers a role', async () => {
    const { token } = await invited({ access_level: 10 });
    const user = await buildToken(app);
    await buildMember(app, { user: user.user, of: group, level: Level.maintainer });
    expect((await call('POST', '/invitations/accept', user, { invitation_token: token })).status).toBe(200);
    expect((await call('GET', `/groups/${group.id}/members/${user.user.id}`, owner)).body.access_level).toBe(40);
  });

  test('a declined, taken back, expired or wrong link is worth nothing', async () => {
    const user = await buildToken(app);
    const accept = (token: string) => call('POST', '/invitations/accept', user, { invitation_token: token });
    const declined = await invited();
    const json = { invitation_token: declined.token };
    expect((await call('POST', '/invitations/decline', undefined, json)).status).toBe(204);
    expect((await accept(declined.token)).status).toBe(404);
    const events = app.db.selectFrom('audit_events').selectAll().where('event', '=', 'member_invitation_declined');
    expect(await events.where('target_details', '=', declined.email).execute()).toMatchObject([
      { author_id: null, author_name: 'Unknown', ip_address: '127.0.0.1' },
    ]);
    const taken = await invited();
    await call('DELETE', `/groups/${group.id}/invitations/${taken.email}`, owner);
    expect((await accept(taken.token)).status).toBe(404);
    const old = await invited();
    const past = new Date(Date.now() - 31 * 86_400_000);
    await app.db.updateTable('member_invitations').set({ sent_at: past }).where('email', '=', old.email).execute();
    expect((await accept(old.token)).status).toBe(404);
    expect((await invite(`/groups/${group.id}`, { email: old.email })).body).toEqual({ status: 'success' });
    expect((await accept('x')).status).toBe(404);
    expect((await call('POST', '/invitations/look', undefined, {})).status).toBe(400);
  });
});

test('without a mail server an invitation waits, and goes when the person is added', async () => {
  const silent = await startTestApp();
  const [boss, person] = [await buildToken(silent), await buildToken(silent)];
  const place = await buildGroup(silent, { owner: boss.user });
  const request = (method: 'GET' | 'POST' | 'DELETE', noun: string, json?: Json) =>
    silent.api<Json[]>(method, `/groups/${place.id}/${noun}`, { token: boss.secret, ...(json ? { json } : {}) });
  const invited = await request('POST', 'invitations', { email: 'a@example.com', access_level: 30 });
  expect([invited.status, invited.body]).toEqual([201, { status: 'success' }]);
  const address = { email: 'later@example.com', access_level: 30 };
  await request('POST', 'invitations', address);
  expect((await request('GET', 'invitations')).body).toMatchObject([
    { invite_email: 'a@example.com' },
    { invite_email: address.email },
  ]);
  await silent.db
    .updateTable('users')
    .set({ email: address.email, confirmed_at: new Date() })
    .where('id', '=', person.user.id)
    .execute();
  expect((await request('POST', 'members', { user_id: person.user.id, access_level: 30 })).status).toBe(201);
  expect((await request('GET', 'invitations')).body).toMatchObject([{ invite_email: 'a@example.com' }]);
  expect((await request('DELETE', 'invitations/a@example.com')).status).toBe(204);
  await silent.close();
});
