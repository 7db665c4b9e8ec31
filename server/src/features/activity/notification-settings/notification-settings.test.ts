/** Notification settings, everywhere and by group and project. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildProject, buildToken } from '../../../../test/factories.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
});
afterAll(() => app.close());

const get = (path: string, token: string | undefined = owner.secret) =>
  app.api<Json>('GET', `${path}/notification_settings`, { token });
const put = (path: string, json: Json) =>
  app.api<Json>('PUT', `${path}/notification_settings`, { token: owner.secret, json });

describe('/notification_settings', () => {
  it('is participating at the primary address until told, and keeps what is chosen', async () => {
    expect(await get('')).toMatchObject({
      status: 200,
      body: { level: 'participating', notification_email: owner.user.email },
    });
    expect(await put('', { level: 'watch' })).toMatchObject({ status: 200, body: { level: 'watch' } });
    expect((await get('')).body).toEqual({ level: 'watch', notification_email: owner.user.email });
  });

  it('goes to a confirmed address of one’s own and to no other', async () => {
    const more = `more-${owner.user.id}@example.com`;
    const row = { user_id: owner.user.id, email: more };
    await app.db.insertInto('emails').values(row).execute();
    const refused = { status: 400, body: { message: { notification_email: ['must be an email you have verified'] } } };
    expect(await put('', { notification_email: more })).toMatchObject(refused);
    expect(await put('', { notification_email: 'other@example.com' })).toMatchObject(refused);
    await app.db.updateTable('emails').set({ confirmed_at: new Date() }).where('email', '=', more).execute();
    expect((await put('', { notification_email: more })).body.notification_email).toBe(more);
    expect((await get('')).body.notification_email).toBe(more);
    const [email] = (await app.api<Json[]>('GET', '/user/emails', { token: owner.secret })).body;
    await app.api('DELETE', `/user/emails/${email?.id}`, { token: owner.secret });
    expect((await get('')).body.notification_email).toBe(owner.user.email);
  });

  it('401 for nobody, 400 for what is no level', async () => {
    expect((await app.api('GET', '/notification_settings')).status).toBe(401);
    for (const json of [{ level: 'loud' }, { level: 3 }, { new_note: 'perhaps' }])
      expect((await put('', json)).status).toBe(400);
  });
});

describe.each(['group', 'project'] as const)('of a %s', (kind) => {
  it('is global until told; custom lists what is switched on', async () => {
    const made =
      kind === 'group' ? await buildGroup(app, { owner: owner.user }) : await buildProject(app, { owner: owner.user });
    const path = `/${kind}s/${made.id}`;
    expect((await get(path)).body).toEqual({ level: 'global' });
    const custom = await put(path, { level: 'custom', new_note: true });
    expect(custom).toMatchObject({
      status: 200,
      body: { level: 'custom', events: { new_note: true, new_issue: false, failed_pipeline: true } },
    });
    await put(path, { failed_pipeline: false });
    expect((await get(path)).body).toMatchObject({ events: { new_note: true, failed_pipeline: false } });
    await put(path, { level: 'mention' });
    expect((await get(path)).body).toEqual({ level: 'mention' });
    const stranger = await buildToken(app);
    expect((await get(path, stranger.secret)).status).toBe(404);
    expect((await app.api('GET', `${path}/notification_settings`)).status).toBe(401);
    expect((await app.api('PUT', `${path}/notification_settings`, { token: stranger.secret })).status).toBe(404);
  });

  it('of a public one nobody can choose without signing in', async () => {
    const made =
      kind === 'group'
        ? await buildGroup(app, { visibility: 'public' })
        : await buildProject(app, { visibility: 'public' });
    expect((await app.api('GET', `/${kind}s/${made.id}/notification_settings`)).status).toBe(401);
    expect((await get(`/${kind}s/${made.id}`)).body).toEqual({ level: 'global' });
  });
});
