/** Files for Markdown: uploaded, shown to who sees the place, listed and removed by maintainers, gone with their place. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { safeName } from './files.ts';

type Json = Record<string, unknown>;
interface Made {
  readonly id: number;
  readonly alt: string;
  readonly url: string;
  readonly full_path: string;
  readonly markdown: string;
}

let app: TestApp;
let maintainer: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [maintainer, guest, stranger] = [await buildToken(app), await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());

const png = Buffer.from('iVBORw0KGgo=', 'base64');
const upload = async (path: string, by: BuiltToken | null, name = 'dk.png', bytes: Buffer | string = png) => {
  const form = new FormData();
  form.append('file', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name);
  return await app.api<Made>('POST', path, { token: by?.secret, form });
};
const get = <T = Json>(path: string, by: BuiltToken | null) => app.api<T>('GET', path, { token: by?.secret });
const browse = (path: string, by: BuiltToken | null) => app.request('GET', path, { token: by?.secret });

describe.each(['projects', 'groups'] as const)('uploads of %s', (kind) => {
  const place = async (visibility: 'private' | 'public' = 'private') => {
    const group = await buildGroup(app, { visibility });
    const of = kind === 'groups' ? group : await buildProject(app, { namespace: group, visibility });
    await buildMember(app, { user: maintainer.user, of, level: Level.maintainer });
    await buildMember(app, { user: guest.user, of, level: Level.guest });
    return { id: of.id, path: `/${kind}/${of.id}/uploads` };
  };

  it('are made by members and answer how Markdown names them', async () => {
    const { id, path } = await place();
    const made = await upload(path, guest);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(Number),
      alt: 'dk',
      url: expect.stringMatching(/^\/uploads\/[0-9a-f]{32}\/dk\.png$/),
      full_path: `/-/${kind.slice(0, -1)}/${id}${made.body.url}`,
      markdown: `![dk](${made.body.url})`,
    });
    const text = await upload(path, guest, '../../a b[1].html', '<script>alert(1)</script>');
    expect(text.body).toMatchObject({ alt: 'a_b_1_.html', markdown: `[a_b_1_.html](${text.body.url})` });
    expect((await upload(path, stranger)).status).toBe(404);
    expect((await upload(path, null)).status).toBe(401);
    expect(await app.api('POST', path, { token: guest.secret, form: { file: 'text' } })).toMatchObject({
      status: 400,
      body: { error: 'file is invalid' },
    });
  });

  it('are listed by maintainers, the newest first, and counted in the statistics', async () => {
    const { id, path } = await place();
    await upload(path, maintainer, 'first.txt', 'one');
    await upload(path, guest, 'second.txt', 'three');
    const listed = await get<Json[]>(path, maintainer);
    expect(listed.body).toEqual([
      expect.objectContaining({
        size: 5,
        filename: 'second.txt',
        uploaded_by: { id: guest.user.id, name: guest.user.name, username: guest.user.username },
      }),
      expect.objectContaining({ size: 3, filename: 'first.txt' }),
    ]);
    expect((await get(path, guest)).status).toBe(403);
    expect((await get(path, stranger)).status).toBe(404);
    if (kind === 'projects') {
      const { statistics } = (await get<{ statistics: Json }>(`/projects/${id}?statistics=true`, maintainer)).body;
      expect(statistics).toMatchObject({ uploads_size: 8, storage_size: 8 });
    }
  });

  it('security 5 are sent as what cannot run here, and only to who sees the place', async () => {
    const { path } = await place();
    const [picture, page, drawing] = [
      await upload(path, guest),
      await upload(path, guest, 'page.html', '<script>alert(1)</script>'),
      await upload(path, guest, 'x.svg', '<svg onload="alert(1)"/>'),
    ].map(({ body }) => body) as [Made, Made, Made];
    const shown = await browse(picture.full_path, guest);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(shown.headers.get('content-disposition')).toMatch(/^inline; filename="dk.png"/);
    // Clients that publish releases put a slash between the address of the instance and `full_path`.
    const joined = await browse(`/${picture.full_path}`, guest);
    expect([joined.status, joined.headers.get('content-type')]).toEqual([200, 'image/png']);
    for (const { full_path: at, url } of [page, drawing])
      for (const answer of [await browse(at, guest), await get(`${path}${url.replace('/uploads', '')}`, guest)]) {
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
        expect(answer.headers.get('content-disposition')).toMatch(/^attachment; /);
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('content-security-policy')).toContain('sandbox');
      }
    for (const by of [stranger, null]) {
      expect((await browse(picture.full_path, by)).status).toBe(404);
      expect((await get(`${path}${picture.url.replace('/uploads', '')}`, by)).status).toBe(404);
    }
    // Another name, another place and half a secret find nothing.
    const other = await place();
    for (const address of [
      picture.full_path.replace('dk.png', 'other.png'),
      picture.full_path.replace(/\/\d+\//, `/${other.id}/`),
      picture.full_path.replace(/[0-9a-f]{16}\/dk/, '/dk'),
      picture.full_path.replace('dk.png', '..%2F..%2Fdk.png'),
    ])
      expect((await browse(address, guest)).status, address).toBe(404);
    expect((await get(`${path}/${picture.id}`, guest)).status).toBe(403);
    expect((await get(`${path}/${picture.id}`, maintainer)).status).toBe(200);
    expect((await get(`${other.path}/${picture.id}`, maintainer)).body).toEqual({ message: '404 Upload Not Found' });
    const open = await place('public');
    const seen = await upload(open.path, guest);
    expect((await browse(seen.body.full_path, null)).status).toBe(200);
  });

  it('are removed by maintainers by id and by address, and their bytes given up', async () => {
    const { path } = await place();
    const [one, two] = [(await upload(path, guest)).body, (await upload(path, guest)).body];
    const remove = (at: string, by: BuiltToken) => app.api('DELETE', at, { token: by.secret });
    const key = (secret: string) =>
      app.db
        .selectFrom(kind === 'projects' ? 'project_uploads' : 'group_uploads')
        .select('object_key')
        .where('secret', '=', secret)
        .executeTakeFirstOrThrow();
    const keys = await Promise.all([one, two].map(async ({ url }) => (await key(url.split('/')[2] ?? '')).object_key));
    const address = `${path}${two.url.replace('/uploads', '')}`;
    expect([(await remove(`${path}/${one.id}`, guest)).status, (await remove(address, guest)).status]).toEqual([
      403, 403,
    ]);
    expect((await remove(`${path}/${one.id}`, maintainer)).status).toBe(204);
    expect((await remove(`${path}/${one.id}`, maintainer)).status).toBe(404);
    expect((await remove(address, maintainer)).status).toBe(204);
    expect((await browse(two.full_path, maintainer)).status).toBe(404);
    const given = await app.db
      .selectFrom('object_deletions')
      .select('object_key')
      .where('object_key', 'in', keys)
      .execute();
    expect(given).toHaveLength(2);
  });
});

it('a project that does not check lets whoever knows the address see pictures, and nothing else', async () => {
  const project = await buildProject(app, { owner: maintainer.user, enforce_auth_checks_on_uploads: false });
  await buildMember(app, { user: maintainer.user, of: project, level: Level.owner });
  const path = `/projects/${project.id}/uploads`;
  const [picture, text] = [(await upload(path, maintainer)).body, (await upload(path, maintainer, 'a.txt', 'x')).body];
  expect([(await browse(picture.full_path, null)).status, (await browse(text.full_path, null)).status]).toEqual([
    200, 404,
  ]);
  await app.db
    .updateTable('projects')
    .set({ enforce_auth_checks_on_uploads: true })
    .where('id', '=', project.id)
    .execute();
  expect((await browse(picture.full_path, null)).status).toBe(404);
});

it('are found below the page of their project, where clients join the address of an upload to it', async () => {
  const group = await buildGroup(app);
  const project = await buildProject(app, { namespace: group });
  await buildMember(app, { user: maintainer.user, of: project, level: Level.maintainer });
  const page = `/${group.full_path}/${project.path}`;
  const made = (await upload(`/projects/${project.id}/uploads`, maintainer, 'a.txt', 'text')).body;
  const found = await browse(page + made.url, maintainer);
  expect([found.status, found.body, found.headers.get('content-type')]).toEqual([
    200,
    'text',
    'application/octet-stream',
  ]);
  expect(found.headers.get('content-security-policy')).toContain('sandbox');
  expect((await browse(page + made.url.replace('a.txt', 'b.txt'), maintainer)).status).toBe(404);
  for (const by of [stranger, null]) expect((await browse(page + made.url, by)).status).toBe(404);
});

it('files of a project that is removed are given up with it', async () => {
  const project = await buildProject(app, { owner: maintainer.user });
  await buildMember(app, { user: maintainer.user, of: project, level: Level.owner });
  await upload(`/projects/${project.id}/uploads`, maintainer);
  const { object_key } = await app.db
    .selectFrom('project_uploads')
    .select('object_key')
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  await runTask(app, 'namespaces.remove_project', { project_id: project.id });
  const given = app.db.selectFrom('object_deletions').selectAll().where('object_key', '=', object_key);
  expect(await given.execute()).toHaveLength(1);
});

it.each([
  ['a b.png', 'a_b.png'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\x\\ünï.txt', 'ünï.txt'],
  ['..', '_..'],
  ['', '_'],
  ['a"\r\nb.txt', 'a___b.txt'],
  [`${'ü'.repeat(200)}.txt`, `${'ü'.repeat(125)}.txt`],
])('the file %j is called %j', (given, expected) => expect(safeName(given)).toBe(expected));
