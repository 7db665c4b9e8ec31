/** Addresses besides the primary one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { runTask } from '../../../../test/tasks.ts';
import type { User } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let mail: MailServer;
let admin: string;
let owner: { user: User; secret: string };
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  owner = await buildToken(app);
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

const address = () => `${unique('more')}@example.com`;
const add = (email: unknown, token = owner.secret) => app.api<Json>('POST', '/user/emails', { token, json: { email } });
const tokenIn = (link: string | null) => new URL(link ?? '').searchParams.get('confirmation_token');
const confirm = (confirmation_token: string | null) =>
  app.request('POST', '/-/confirmation', { json: { confirmation_token } });
const confirmedAddress = async (token: string) => {
  const email = address();
  const made = await add(email, token);
  await confirm(tokenIn((await mail.next(email)).link));
  return { id: Number(made.body.id), email };
};

describe('/user/emails', () => {
  it('an address is added, confirmed by the link sent to it, and removed', async () => {
    const email = address();
    const made = await add(email);
    expect(made).toMatchObject({ status: 201, body: { email, confirmed_at: null } });
    const path = `/user/emails/${made.body.id}`;
    const { link } = await mail.next(email);
    expect((await confirm('wrong')).status).toBe(400);
    expect(await confirm(tokenIn(link))).toMatchObject({ status: 200, body: { email } });
    expect((await app.api<Json>('GET', path, { token: owner.secret })).body.confirmed_at).toBeTypeOf('string');
    expect((await app.api<Json[]>('GET', '/user/emails', { token: owner.secret })).body).toMatchObject([{ email }]);
    expect((await app.api('DELETE', path, { token: (await buildToken(app)).secret })).status).toBe(404);
    expect((await app.api('DELETE', path, { token: owner.secret })).status).toBe(204);
    expect((await app.api('GET', path, { token: owner.secret })).status).toBe(404);
    expect((await app.api('GET', '/user/emails')).status).toBe(401);
  });

  it('names what cannot be one', async () => {
    const taken = { status: 400, body: { message: { email: ['has already been taken'] } } };
    expect(await add(owner.user.email.toUpperCase())).toMatchObject(taken);
    expect(await add((await buildToken(app)).user.email)).toMatchObject(taken);
    const own = address();
    expect((await add(own)).status).toBe(201);
    expect(await add(own)).toMatchObject(taken);
    for (const bad of ['x', 'a@b@c', 'a@x.com,b@y.com', '<a@x.com>'])
      expect(await add(bad)).toMatchObject({ status: 400, body: { message: { email: ['is invalid'] } } });
    expect((await add(['a@example.com'])).status).toBe(400);
  });

  it('security 13: an address that was not confirmed grants nothing and keeps nobody else from it', async () => {
    const email = address();
    expect((await add(email)).status).toBe(201);
    const stale = (await mail.next(email)).link;
    const put = (json: Json) => app.api('PUT', `/users/${owner.user.id}`, { token: admin, json });
    expect((await put({ public_email: email })).status).toBe(400);
    expect((await put({ commit_email: email })).status).toBe(400);
    const other = await buildToken(app);
    expect((await add(email, other.secret)).status).toBe(201);
    expect((await confirm(tokenIn(stale))).status).toBe(400);
    expect((await confirm(tokenIn((await mail.next(email)).link))).status).toBe(200);
    expect(await add(email)).toMatchObject({ status: 400 });
  });

  it('a confirmed one can be shown and used, and no longer when it is removed', async () => {
    const { user, secret } = await buildToken(app);
    const { id, email } = await confirmedAddress(secret);
    const shown = { public_email: email, commit_email: email };
    const changed = await app.api('PUT', `/users/${user.id}`, { token: admin, json: shown });
    expect(changed).toMatchObject({ status: 200, body: shown });
    expect((await app.api('DELETE', `/user/emails/${id}`, { token: secret })).status).toBe(204);
    expect((await app.api('GET', `/users/${user.id}`, { token: admin })).body).toMatchObject({
      public_email: '',
      commit_email: user.email,
    });
  });

  it('becoming the primary one, it leaves its place to the one before', async () => {
    const { user, secret } = await buildToken(app);
    const { email } = await confirmedAddress(secret);
    const got = await app.api('PUT', `/users/${user.id}`, { token: admin, json: { email } });
    expect(got).toMatchObject({ status: 200, body: { email, unconfirmed_email: null } });
    expect((await app.api<Json[]>('GET', '/user/emails', { token: secret })).body).toMatchObject([
      { email: user.email },
    ]);
  });
});

describe('/users/:id/emails', () => {
  it('administrators see, add and remove them', async () => {
    const path = `/users/${owner.user.id}/emails`;
    const email = address();
    const made = await app.api<Json>('POST', path, { token: admin, json: { email, skip_confirmation: true } });
    expect(made).toMatchObject({ status: 201, body: { email, confirmed_at: expect.any(String) } });
    const list = await app.api<Json[]>('GET', path, { token: admin, query: { per_page: 100 } });
    expect(list.body).toContainEqual(made.body);
    expect((await app.api('GET', path, { token: owner.secret })).status).toBe(403);
    expect((await app.api('GET', '/users/999999/emails', { token: admin })).status).toBe(404);
    expect((await app.api('DELETE', `${path}/${made.body.id}`, { token: admin })).status).toBe(204);
    expect((await app.api('DELETE', `${path}/${made.body.id}`, { token: admin })).status).toBe(404);
  });

  it('addresses that were not confirmed in time are removed', async () => {
    const made = await add(address());
    const old = new Date(Date.now() - 4 * 86_400_000);
    await app.db.updateTable('emails').set({ created_at: old }).where('id', '=', Number(made.body.id)).execute();
    await runTask(app, 'emails.remove_unconfirmed');
    expect((await app.api('GET', `/user/emails/${made.body.id}`, { token: owner.secret })).status).toBe(404);
  });
});
