/** Pictures of projects: only images by their bytes, for who sees the project. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildMember, buildProject, buildToken, unique } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
});
afterAll(() => app.close());

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const form = (avatar: Buffer | string, values: Record<string, string> = {}) => {
  const data = new FormData();
  const file = typeof avatar === 'string' ? avatar : new File([new Uint8Array(avatar)], '../x.html');
  data.set('avatar', file);
  for (const [key, value] of Object.entries(values)) data.set(key, value);
  return data;
};
const put = (id: unknown, data: FormData, token = owner) =>
  app.api<Json>('PUT', `/projects/${id}`, { token: token.secret, form: data });
const fetched = (target: string, token?: BuiltToken) =>
  fetch(target, { headers: token ? { 'PRIVATE-TOKEN': token.secret } : {} });

it('[3/fields.project/1] security 5: is served as what its bytes are, to who sees the project', async () => {
  const stranger = await buildToken(app);
  const made = await app.api<Json>('POST', '/projects', {
    token: owner.secret,
    form: form(png, { name: unique('pictured') }),
  });
  expect(made.status).toBe(201);
  const { id } = made.body;
  const url = String(made.body.avatar_url);
  expect(url).toBe(`${app.url}/uploads/-/system/project/avatar/${id}/x.png`);
  const { avatar_object_key: stored } = await app.db
    .selectFrom('projects')
    .select('avatar_object_key')
    .where('id', '=', Number(id))
    .executeTakeFirstOrThrow();
  const key = String(stored).split('/', 1)[0] ?? '';
  const old = await fetch(url.replace('x.png', key), {
    headers: { 'PRIVATE-TOKEN': owner.secret },
    redirect: 'manual',
  });
  expect([old.status, old.headers.get('location')]).toEqual([301, url]);
  const served = await fetched(url, owner);
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(served.headers.get('content-security-policy')).toContain('sandbox');
  expect([(await fetched(url)).status, (await fetched(url, stranger)).status]).toEqual([404, 404]);
  const download = `${app.url}/api/v4/projects/${id}/avatar`;
  expect(Buffer.from(await (await fetched(download, owner)).arrayBuffer())).toEqual(png);
  expect([(await fetched(download)).status, (await fetched(download, stranger)).status]).toEqual([404, 404]);
  const reader = await buildToken(app, { user: owner.user, scopes: ['read_user'] });
  expect((await fetched(url, reader)).status).toBe(404);
  await app.api('PUT', `/projects/${id}`, { token: owner.secret, json: { visibility: 'public' } });
  expect((await fetched(url)).status).toBe(200);
  for (const file of ['..%2f..%2fsecrets.key', '0'.repeat(32)])
    expect((await fetched(url.replace(/[^/]+$/, file))).status).toBe(404);

  expect(await put(id, form(''))).toMatchObject({ status: 200, body: { avatar_url: null } });
  expect((await fetched(url)).status).toBe(404);
  expect((await app.api('GET', `/projects/${id}/avatar`)).body).toEqual({ message: '404 Avatar Not Found' });
  const given = await app.db.selectFrom('object_deletions').selectAll().where('object_key', '=', key).execute();
  expect(given).toHaveLength(1);
});

it('security 9: what is no image is refused, and only maintainers set one', async () => {
  const project = await buildProject(app, { owner: owner.user });
  for (const bytes of ['<svg onload="alert(1)"/>', '<html><script>alert(1)</script>', '%PDF-1.7'])
    expect(await put(project.id, form(Buffer.from(bytes)))).toMatchObject({
      status: 400,
      body: { message: { avatar: [expect.stringContaining('not supported')] } },
    });
  const developer = await buildToken(app);
  await buildMember(app, { user: developer.user, of: project, level: Level.developer });
  expect((await put(project.id, form(png), developer)).status).toBe(403);
  expect((await app.api('PUT', `/projects/${project.id}`, { form: form(png) })).status).toBe(401);
  const events = await app.db.selectFrom('audit_events').select('event').where('entity_id', '=', project.id).execute();
  expect(events.map(({ event }) => event)).not.toContain('project_avatar_updated');
  expect((await put(project.id, form(png))).status).toBe(200);
  const later = await app.db.selectFrom('audit_events').select('event').where('entity_id', '=', project.id).execute();
  expect(later.map(({ event }) => event)).toContain('project_avatar_updated');
});
