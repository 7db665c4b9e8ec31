/** What people do with their own account at their own page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildGroup, buildProject, buildToken, buildUser, unique } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { stopClock } from '../../../../test/windows.ts';
import type { User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
const password = 'nine lives of a cat';
let app: TestApp;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

async function visitor(made?: User) {
  const user = made ?? (await buildUser(app, { password }));
  const json = { login: user.username, password };
  const session = await app.request<{ csrf_token: string }>('POST', '/-/session', { json });
  const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const headers = { cookie, 'x-csrf-token': session.body.csrf_token };
  const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json: Json = {}) =>
    app.api<Json>(method, path, method === 'GET' ? { headers } : { headers, json });
  return { user, call };
}

it('is for people who have signed in: tokens are told so, and bad ones that they are bad', async () => {
  const { secret } = await buildToken(app);
  const put = (headers: Record<string, string>) => app.api('PUT', '/user', { headers, json: { name: 'X' } });
  expect(await put({ 'PRIVATE-TOKEN': secret })).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden - this is not available to tokens: sign in with a browser' },
  });
  for (const headers of [{ 'PRIVATE-TOKEN': 'wrong' }, { Authorization: 'Bearer wrong' }, {}])
    expect((await put(headers as Record<string, string>)).status).toBe(401);
});

describe('PUT /user', () => {
  it('changes what everybody may say about themselves', async () => {
    const { user, call } = await visitor();
    const wanted = {
      name: 'Other Name',
      bio: 'Writes',
      location: 'Leeds',
      job_title: 'Smith',
      website_url: 'https://example.com/me',
      pronouns: 'they',
      public_email: user.email,
      preferred_language: 'de',
      private_profile: true,
    };
    expect(await call('PUT', '/user', wanted)).toMatchObject({ status: 200, body: wanted });
    expect(await call('PUT', '/user', { timezone: 'Europe/Berlin' })).toMatchObject({ status: 200 });
    expect((await call('GET', '/user')).body).toMatchObject({ ...wanted, local_time: expect.stringMatching(/[AP]M$/) });
    expect((await call('GET', '/user/preferences')).body).toMatchObject({ timezone: 'Europe/Berlin' });
    const events = await app.db.selectFrom('audit_events').select('event').where('entity_id', '=', user.id).execute();
    expect(events).toContainEqual({ event: 'user_updated' });
  });

  it('names what is wrong', async () => {
    const { call } = await visitor();
    const refused: ReadonlyArray<[Json, Json]> = [
      [{ name: ' ' }, { name: ["can't be blank"] }],
      [{ website_url: 'javascript:alert(1)' }, { website_url: ['must be a valid URL'] }],
      [{ public_email: 'other@example.com' }, { public_email: ['is not an email you own'] }],
      [{ timezone: 'Mars/Base' }, { timezone: ['is invalid'] }],
    ];
    for (const [json, message] of refused)
      expect(await call('PUT', '/user', json)).toMatchObject({ status: 400, body: { message } });
    expect((await call('PUT', '/user', { bio: 'x'.repeat(256) })).status).toBe(400);
    // Rights are no part of it.
    expect((await call('PUT', '/user', { admin: true, projects_limit: 9 })).body).toMatchObject({
      projects_limit: 100_000,
    });
    expect((await app.api('PUT', '/user', { json: { name: 'x' } })).status).toBe(401);
  });

  it('is for pages, not for tokens', async () => {
    const { secret } = await buildToken(app);
    expect((await app.api('PUT', '/user', { token: secret, json: { name: 'x' } })).status).toBe(403);
  });

  it('a new username needs the password, and old addresses lead to the new one', async () => {
    const { user, call } = await visitor();
    const project = await buildProject(app, { owner: user, visibility: 'public' });
    const username = unique('renamed');
    for (const current_password of [undefined, 'wrong'])
      expect(await call('PUT', '/user', { username, current_password })).toMatchObject({
        status: 400,
        body: { message: { current_password: ['is invalid'] } },
      });
    const taken = await buildUser(app);
    expect((await call('PUT', '/user', { username: taken.username, current_password: password })).status).toBe(409);
    expect(await call('PUT', '/user', { username, current_password: password })).toMatchObject({
      status: 200,
      body: { username },
    });
    const found = await app.api<Json>('GET', `/projects/${encodeURIComponent(`${user.username}/${project.path}`)}`);
    expect(found.body).toMatchObject({ id: project.id, path_with_namespace: `${username}/${project.path}` });
  });

  it('a new address needs the password and counts when it is confirmed', async () => {
    const { user, call } = await visitor();
    const email = `${unique('new')}@example.com`;
    expect((await call('PUT', '/user', { email })).status).toBe(400);
    expect((await call('PUT', '/user', { email, current_password: password })).body).toMatchObject({
      email: user.email,
    });
    const first = (await mail.next(email)).link;
    expect((await call('POST', '/user/confirmation')).status).toBe(202);
    const second = (await mail.next(email)).link;
    expect(second).not.toBe(first);
    const confirmation_token = new URL(second ?? '').searchParams.get('confirmation_token');
    await app.request('POST', '/-/confirmation', { json: { confirmation_token } });
    expect((await call('GET', '/user')).body).toMatchObject({ email });
    expect((await call('POST', '/user/confirmation')).status).toBe(409);
    expect((await app.api('POST', '/user/confirmation')).status).toBe(401);
  });
});

describe('POST /user/emails/:email_id/confirmation', () => {
  it('sends the link again, and the one before works no more', async () => {
    const { call } = await visitor();
    const email = `${unique('more')}@example.com`;
    const { id } = (await call('POST', '/user/emails', { email })).body;
    const path = `/user/emails/${id}/confirmation`;
    const old = new URL((await mail.next(email)).link ?? '').searchParams.get('confirmation_token');
    expect((await call('POST', path)).status).toBe(202);
    const link = new URL((await mail.next(email)).link ?? '').searchParams.get('confirmation_token');
    const confirm = (confirmation_token: string | null) =>
      app.request('POST', '/-/confirmation', { json: { confirmation_token } });
    expect((await confirm(old)).status).toBe(400);
    expect((await confirm(link)).status).toBe(200);
    expect((await call('POST', path)).status).toBe(409);
    expect((await (await visitor()).call('POST', path)).status).toBe(404);
    expect((await app.api('POST', path)).status).toBe(401);
    stopClock();
    const statuses: number[] = [];
    for (let more = 0; more < 6; more += 1) statuses.push((await call('POST', path)).status);
    expect(statuses).toContain(429);
  });
});

describe('DELETE /user', () => {
  it('removes the account of whoever gives their password', async () => {
    const { user, call } = await visitor();
    for (const json of [{}, { current_password: 'wrong' }])
      expect((await call('DELETE', '/user', json)).status).toBe(400);
    expect((await call('DELETE', '/user', { current_password: password })).status).toBe(204);
    expect((await call('GET', '/user')).status).toBe(401);
    await expect.poll(() => app.db.selectFrom('users').select('id').where('id', '=', user.id).execute()).toEqual([]);
    expect((await app.api('DELETE', '/user')).status).toBe(401);
  });

  it('not of whoever is the only owner of a group', async () => {
    const { user, call } = await visitor();
    await buildGroup(app, { owner: user });
    expect((await call('DELETE', '/user', { current_password: password })).status).toBe(409);
  });
});

describe('mails to strangers', () => {
  it('are limited by address, the same for every address', async () => {
    const ask = async (email: string) => (await app.request('POST', '/-/password-reset', { json: { email } })).status;
    const flood = async (email: string) => {
      const statuses: number[] = [];
      for (let more = 0; more < 11; more += 1) statuses.push(await ask(more % 2 ? email : email.toUpperCase()));
      return statuses;
    };
    const expected = [...Array.from({ length: 10 }, () => 202), 429];
    stopClock();
    expect(await flood((await buildUser(app)).email)).toEqual(expected);
    expect(await flood(`${unique('nobody')}@example.com`)).toEqual(expected);
    expect(await ask(`${unique('other')}@example.com`)).toBe(202);
  });
});
