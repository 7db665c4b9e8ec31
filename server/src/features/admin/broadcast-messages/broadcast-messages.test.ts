/** Broadcast messages: the API, and what a push prints. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { pushBanner } from './push-banner.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterEach(() => app.db.deleteFrom('broadcast_messages').execute());
afterAll(() => app.close());

const base = '/broadcast_messages';
const api = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  json?: Json,
  token: string | undefined = admin.secret,
) => app.api<Json>(method, path, { token, ...(json ? { json } : {}) });
const make = async (json: Json) => {
  const answer = await api('POST', base, json);
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body as Json & { id: number };
};
const [past, future] = ['2020-01-01T00:00:00.000Z', '2090-01-01T00:00:00.000Z'];

describe('broadcast messages', () => {
  it('administrators create, change and delete them, and everybody reads them', async () => {
    const made = await make({ message: 'Soon' });
    expect(made).toEqual({
      ...{ id: made.id, message: 'Soon', color: '#E75E40', font: '#FFFFFF', theme: 'indigo', broadcast_type: 'banner' },
      ...{ target_access_levels: [], target_path: null, dismissable: false, active: true },
      ...{ starts_at: made.starts_at, ends_at: made.ends_at },
    });
    expect(Date.parse(String(made.ends_at)) - Date.parse(String(made.starts_at))).toBe(3_600_000);
    const later = await make({ message: 'Later', starts_at: future, ends_at: future, target_access_levels: [10, 30] });
    expect(later).toMatchObject({ active: false, target_access_levels: [10, 30] });
    const changed = {
      message: 'Now',
      target_path: ' /a/* ',
      theme: 'red',
      dismissable: true,
      broadcast_type: 'notification',
    };
    expect((await api('PUT', `${base}/${made.id}`, changed)).body).toMatchObject({ ...changed, target_path: '/a/*' });
    // In a form as clients of the ecosystem send it.
    const form = new URLSearchParams({ target_access_levels: '20,40', target_path: '' }).toString();
    const sent = await app.api<Json>('PUT', `${base}/${made.id}?${form}`, { token: admin.secret });
    expect(sent.body).toMatchObject({ target_access_levels: [20, 40], target_path: null });
    const list = await app.api<Json[]>('GET', base);
    expect(list.body.map(({ id }) => id)).toEqual([later.id, made.id]);
    const active = await app.api<Json[]>('GET', base, { query: { active: true } });
    expect(active.body.map(({ id }) => id)).toEqual([made.id]);
    expect((await app.api<Json>('GET', `${base}/${later.id}`)).body).toEqual(later);
    expect((await api('DELETE', `${base}/${later.id}`)).status).toBe(204);
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect((await api(method, `${base}/${later.id}`, method === 'PUT' ? {} : undefined)).status).toBe(404);
  });

  it('anonymous callers get 401 for changes, others 403, and what is wrong is refused', async () => {
    const someone = (await buildToken(app)).secret;
    expect((await app.api('POST', base, { json: { message: 'x' } })).status).toBe(401);
    expect((await api('POST', base, { message: 'x' }, someone)).status).toBe(403);
    for (const wrong of [{}, { message: ' ' }, { message: 'x', color: 'red' }, { message: 'x', theme: 'pink' }])
      expect((await api('POST', base, wrong)).status).toBe(400);
    expect((await api('POST', base, { message: 'x', target_access_levels: [5] })).status).toBe(400);
    expect((await app.api<Json[]>('GET', base)).body).toEqual([]);
  });

  it('the newest banner for the project, or else for all, is printed after pushes', async () => {
    const lines = () => pushBanner(app.db, 'Group/project');
    expect(await lines()).toEqual([]);
    await make({ message: 'For all' });
    await make({ message: 'In the corner', broadcast_type: 'notification' });
    await make({ message: 'For owners', target_access_levels: [50] });
    await make({ message: 'Over', starts_at: past, ends_at: past });
    await make({ message: 'Elsewhere', target_path: '/group/other' });
    const ruler = '='.repeat(72);
    expect(await lines()).toEqual([ruler, '', 'For all', '', ruler]);
    await make({ message: `${'word '.repeat(16)}\nend`, target_path: '/group/*' });
    expect(await lines()).toEqual([ruler, '', Array(14).fill('word').join(' '), 'word word', 'end', '', ruler]);
  });
});
