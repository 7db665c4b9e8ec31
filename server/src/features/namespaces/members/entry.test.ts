/** What groups say of who may become a member in them and below, and whether they send mail. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { insideDay } from '../../../../test/windows.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project, User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let mails: MailServer;
let owner: BuiltToken;
let admin: BuiltToken;
let top: Namespace;
let below: Namespace;
let project: Project;

beforeAll(async () => {
  await insideDay();
  mails = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mails.url}?verify=off` } });
  owner = await buildToken(app);
  admin = await buildToken(app, { user: await buildAdmin(app) });
  top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  below = await buildGroup(app, { parent: top, visibility: 'public' });
  project = await buildProject(app, { namespace: below, visibility: 'public' });
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, token = owner, json?: Json) =>
  app.api<T>(method, target, { token: token.secret, ...(json ? { json } : {}) });
const set = async (json: Json, group = top) => {
  const answer = await call('PUT', `/groups/${group.id}`, owner, json);
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body;
};
const add = (target: string, user: User, token = owner) =>
  call('POST', `${target}/members`, token, { user_id: user.id, access_level: 30 });

test('membership_lock: projects here and below take no new members, by no way; groups do, and who is in stays', async () => {
  const at = `/projects/${project.id}`;
  const [before, asker] = [await buildUser(app), await buildToken(app)];
  expect((await add(at, before)).status).toBe(201);
  expect((await call('POST', `${at}/access_requests`, asker)).status).toBe(201);
  const invited = `${unique('invited')}@example.com`;
  const invite = (email: string) => call('POST', `${at}/invitations`, owner, { email, access_level: 30 });
  expect((await invite(invited)).body).toEqual({ status: 'success' });
  const token = new URL((await mails.next(invited)).link ?? '').searchParams.get('invitation_token');

  expect(await set({ membership_lock: true })).toMatchObject({ membership_lock: true });
  const refused = {
    status: 403,
    body: {
      message: '403 Forbidden - a group above keeps its projects from having members of their own (membership_lock)',
    },
  };
  const late = await buildUser(app);
  expect(await add(at, late)).toMatchObject(refused);
  expect(await add(at, late, admin)).toMatchObject(refused);
  const several = { user_id: [late.id, asker.user.id], access_level: 30 };
  expect(await call('POST', `${at}/members`, owner, several)).toMatchObject(refused);
  expect(await call('PUT', `${at}/access_requests/${asker.user.id}/approve`)).toMatchObject(refused);
  expect(await invite(`${unique('other')}@example.com`)).toMatchObject(refused);
  expect(await invite(late.email)).toMatchObject(refused);
  expect(await call('POST', '/invitations/accept', asker, { invitation_token: token })).toMatchObject(refused);
  // Nothing became of any of it.
  const members = await call<Json[]>('GET', `${at}/members`);
  expect(members.body.map(({ id }) => id)).toEqual([before.id]);
  // Roles still change and end, and groups are not meant.
  const changed = await call('PUT', `${at}/members/${before.id}`, owner, { access_level: 20 });
  expect(changed).toMatchObject({ status: 200, body: { access_level: 20 } });
  expect((await add(`/groups/${below.id}`, late)).status).toBe(201);
  const bot = await call('POST', `${at}/access_tokens`, owner, {
    name: 'bot',
    scopes: ['api'],
    expires_at: new Date(Date.now() + 864e5).toISOString().slice(0, 10),
  });
  expect(bot.status).toBe(201);
  expect((await call('DELETE', `${at}/members/${before.id}`)).status).toBe(204);

  await set({ membership_lock: false });
  expect((await add(at, before)).status).toBe(201);
});

test('allowed_email_domains_list: a confirmed address in one of the domains, in the whole tree', async () => {
  const named = (domain: string, confirmed = true) => {
    const username = unique('mail');
    return buildUser(app, { username, email: `${username}@${domain}`, confirmed });
  };
  const [inside, upper, sub, outside, unconfirmed] = [
    await named('one.example'),
    await named('TWO.example'),
    await named('sub.one.example'),
    await named('one.example.evil'),
    await named('one.example', false),
  ];
  const second = await named('elsewhere.example');
  const addMail = (skip_confirmation: boolean) =>
    call('POST', `/users/${second.id}/emails`, admin, {
      email: `${unique('second')}@two.example`,
      skip_confirmation,
    });
  await set({ allowed_email_domains_list: 'one.example, Two.example' });
  const reason = 'has no confirmed address in the domains of the group: one.example, two.example';
  const refused = {
    status: 400,
    body: { message: { user: [`${reason} (allowed_email_domains_list)`] } },
  };
  for (const target of [`/groups/${top.id}`, `/groups/${below.id}`, `/projects/${project.id}`]) {
    for (const user of [sub, outside, unconfirmed]) expect(await add(target, user)).toMatchObject(refused);
    expect((await add(target, target.includes('groups') ? upper : inside)).status).toBe(201);
  }
  expect((await addMail(false)).status).toBe(201);
  expect(await add(`/groups/${below.id}`, second)).toMatchObject(refused);
  expect((await addMail(true)).status).toBe(201);
  expect((await add(`/groups/${below.id}`, second)).status).toBe(201);
  const invite = (email: string) => call('POST', `/groups/${below.id}/invitations`, owner, { email, access_level: 30 });
  const wrong = `${unique('new')}@three.example`;
  expect((await invite(wrong)).body).toEqual({
    status: 'error',
    message: {
      [wrong]: 'Invite email is not in the domains of the group: one.example, two.example (allowed_email_domains_list)',
    },
  });
  const right = `${unique('new')}@ONE.example`;
  expect((await invite(right)).body).toEqual({ status: 'success' });
  // The link is for whoever has it: they need an address of the group as well.
  const link = new URL((await mails.next(right.toLowerCase())).link ?? '').searchParams.get('invitation_token');
  const stranger = await buildToken(app, { user: outside });
  expect(await call('POST', '/invitations/accept', stranger, { invitation_token: link })).toMatchObject(refused);
  // Other trees are not meant, and an empty list lets everybody in.
  const other = await buildGroup(app, { owner: owner.user });
  expect((await add(`/groups/${other.id}`, outside)).status).toBe(201);
  await set({ allowed_email_domains_list: '' });
  expect((await add(`/groups/${below.id}`, outside)).status).toBe(201);
});

test('[3/fields.group/9 emails_disabled, emails_enabled] a group or project without mail tells nobody of memberships and requests', async () => {
  const group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  const inner = await buildGroup(app, { parent: group, visibility: 'public' });
  const quiet = await buildProject(app, { namespace: inner, visibility: 'public' });
  const told = (user: User) => mails.received.filter(({ to }) => to.includes(user.email)).length;
  const [one, two, three] = [await buildUser(app), await buildUser(app), await buildUser(app)];
  const asker = await buildToken(app);
  await set({ emails_enabled: false }, group);
  const before = told(owner.user);
  expect((await add(`/groups/${inner.id}`, one)).status).toBe(201);
  expect((await add(`/projects/${quiet.id}`, two)).status).toBe(201);
  expect((await call('POST', `/projects/${quiet.id}/access_requests`, asker)).status).toBe(201);
  const decline = `/projects/${quiet.id}/access_requests/${asker.user.id}`;
  expect((await call('DELETE', decline)).status).toBe(204);
  await set({ emails_disabled: false }, group);
  expect((await call('PUT', `/projects/${quiet.id}`, owner, { emails_enabled: false })).status).toBe(200);
  expect((await add(`/projects/${quiet.id}`, three)).status).toBe(201);
  // The queue is in order: what comes now would come after what was sent before.
  const last = await buildUser(app);
  await add(`/groups/${inner.id}`, last);
  expect((await mails.next(last.email)).header('Subject')).toContain('was granted');
  expect([one, two, three, asker.user].map(told)).toEqual([0, 0, 0, 0]);
  expect(told(owner.user)).toBe(before);
});

test('shared_runners_setting: what a group took away for good no project below switches on', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const made = await call('POST', '/projects', owner, { name: unique('runs'), namespace_id: group.id });
  expect(made.body.shared_runners_enabled).toBe(true);
  await set({ shared_runners_setting: 'disabled_and_unoverridable' }, group);
  const at = `/projects/${made.body.id}`;
  const refused = {
    status: 400,
    body: { message: { shared_runners_enabled: ['cannot be enabled because parent group does not allow it'] } },
  };
  expect(await call('PUT', at, owner, { shared_runners_enabled: true })).toMatchObject(refused);
  const wanted = { name: unique('runs'), namespace_id: group.id, shared_runners_enabled: true };
  expect(await call('POST', '/projects', owner, wanted)).toMatchObject(refused);
  expect((await call('PUT', at, owner, { shared_runners_enabled: false })).status).toBe(200);
  const moved = await call('POST', '/projects', owner, { name: unique('moves') });
  expect(moved.body.shared_runners_enabled).toBe(true);
  expect((await call('PUT', `/projects/${moved.body.id}/transfer`, owner, { namespace: group.id })).status).toBe(200);
  expect((await call('GET', `/projects/${moved.body.id}`)).body.shared_runners_enabled).toBe(false);
  await set({ shared_runners_setting: 'disabled_and_overridable' }, group);
  const allowed = await call('PUT', at, owner, { shared_runners_enabled: true });
  expect(allowed).toMatchObject({ status: 200, body: { shared_runners_enabled: true } });
});

test('prevent_sharing_groups_outside_hierarchy: of the group that has it, and below', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const sub = await buildGroup(app, { parent: group });
  const inside = await buildProject(app, { namespace: sub });
  const sibling = await buildGroup(app, { parent: group });
  const foreign = await buildGroup(app, { owner: owner.user });
  const share = (target: string, id: number) =>
    call('POST', `${target}/share`, owner, { group_id: id, group_access: 20 });
  await set({ prevent_sharing_groups_outside_hierarchy: true }, sub);
  for (const target of [`/groups/${sub.id}`, `/projects/${inside.id}`]) {
    expect(await share(target, foreign.id)).toMatchObject({ status: 404, body: { message: '404 Group Not Found' } });
    expect((await share(target, sibling.id)).status).toBeLessThan(300);
  }
  expect((await share(`/groups/${group.id}`, foreign.id)).status).toBe(200);
  await set({ prevent_sharing_groups_outside_hierarchy: false }, sub);
  expect((await share(`/groups/${sub.id}`, foreign.id)).status).toBe(200);
});

test('[security 18] who waits for nothing but the role: a locked project keeps those of its groups', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const inside = await buildProject(app, { namespace: group });
  await set({ membership_lock: true }, group);
  const member = await buildToken(app);
  await buildMember(app, { user: member.user, of: group, level: Level.developer });
  expect((await call('GET', `/projects/${inside.id}`, member)).status).toBe(200);
});
