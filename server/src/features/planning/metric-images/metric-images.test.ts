/** Metric images of incidents: who adds, sees and removes them, and what an image is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

interface Image {
  readonly id: number;
  readonly created_at: string;
  readonly filename: string;
  readonly file_path: string;
  readonly url: string | null;
  readonly url_text: string | null;
  readonly message?: string;
}
let app: TestApp;
let project: Project;
let planner: BuiltToken;
let guest: BuiltToken;
let author: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildProject(app, { visibility: 'private' });
  const member = async (level: Level) => {
    const made = await buildToken(app);
    await buildMember(app, { of: project, user: made.user, level });
    return made;
  };
  [planner, guest, author] = [await member(Level.planner), await member(Level.guest), await member(Level.guest)];
  stranger = await buildToken(app);
});
afterAll(() => app.close());

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
async function incident(json: object = {}, by = planner): Promise<string> {
  const values = { title: 'Down', issue_type: 'incident', ...json };
  const { status, body } = await app.api<{ iid: number }>('POST', `/projects/${project.id}/issues`, {
    token: by.secret,
    json: values,
  });
  expect(status).toBe(201);
  return `/projects/${project.id}/issues/${body.iid}/metric_images`;
}
function upload(
  base: string,
  by: BuiltToken | null,
  more: Record<string, string> = {},
  bytes: Buffer = png,
  name = 'cpu load.png',
) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  for (const [key, value] of Object.entries(more)) form.append(key, value);
  return app.api<Image>('POST', base, { token: by?.secret, form });
}
const list = (base: string, by: BuiltToken | null) => app.api<Image[]>('GET', base, { token: by?.secret });
const change = (base: string, id: number, by: BuiltToken, json: object) =>
  app.api<Image>('PUT', `${base}/${id}`, { token: by.secret, json });
const remove = (base: string, id: number, by: BuiltToken) =>
  app.api<Image>('DELETE', `${base}/${id}`, { token: by.secret });

it('go with an issue that is moved to another project, and are seen by who sees it there', async () => {
  const base = await incident();
  const { body: image } = await upload(base, planner, { url_text: 'CPU' });
  const target = await buildProject(app, { visibility: 'private' });
  await buildMember(app, { of: target, user: planner.user, level: Level.planner });
  const moved = await app.api<{ iid: number }>('POST', base.replace('/metric_images', '/move'), {
    token: planner.secret,
    json: { to_project_id: target.id },
  });
  expect(moved.status).toBe(201);
  const there = `/projects/${target.id}/issues/${moved.body.iid}/metric_images`;
  expect((await list(there, planner)).body).toEqual([image]);
  expect((await list(base, planner)).body).toEqual([]);
  const file = async (who: BuiltToken) => (await app.request('GET', image.file_path, { token: who.secret })).status;
  expect([await file(planner), await file(guest)]).toEqual([200, 404]);
});

it('are added to incidents, listed, changed and removed', async () => {
  const base = await incident();
  const made = await upload(base, planner, { url: 'https://metrics.example/cpu', url_text: 'CPU' });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.any(Number),
    created_at: expect.stringMatching(/Z$/),
    filename: 'cpu_load.png',
    file_path: `/uploads/-/system/issuable_metric_image/file/${made.body.id}/cpu_load.png`,
    url: 'https://metrics.example/cpu',
    url_text: 'CPU',
  });
  const second = await upload(base, planner);
  expect(second.body).toMatchObject({ url: null, url_text: null });
  expect((await list(base, guest)).body).toEqual([made.body, second.body]);
  const changed = await change(base, second.body.id, planner, { url: 'http://x.example', url_text: 'Load' });
  expect([changed.status, changed.body]).toEqual([200, { ...second.body, url: 'http://x.example', url_text: 'Load' }]);
  expect((await change(base, second.body.id, planner, { url: '' })).body).toMatchObject({
    url: null,
    url_text: 'Load',
  });
  expect((await change(base, second.body.id, planner, {})).body).toMatchObject({ url: null, url_text: 'Load' });
  expect((await remove(base, made.body.id, planner)).status).toBe(204);
  expect((await list(base, planner)).body.map(({ id }) => id)).toEqual([second.body.id]);
  const left = await app.db.selectFrom('object_deletions').selectAll().execute();
  expect(left.length).toBeGreaterThan(0);
});

it('are refused where they are no images, too large, too many words, or of no incident', async () => {
  const base = await incident();
  const text = await upload(base, planner, {}, Buffer.from('<script>alert(1)</script>'), 'x.png');
  expect([text.status, text.body.message]).toEqual([400, 'File format is not supported: upload an image']);
  expect((await upload(base, planner, {}, Buffer.concat([png, Buffer.alloc(1024 * 1024)]))).status).toBe(413);
  const wrong: Record<string, string>[] = [
    { url: 'javascript:alert(1)' },
    { url: `http://x/${'y'.repeat(255)}` },
    { url_text: 'z'.repeat(129) },
  ];
  for (const more of wrong)
    expect((await upload(base, planner, more)).body.message).toBe('Metric image could not be saved');
  const { body } = await upload(base, planner);
  const refused = await change(base, body.id, planner, { url_text: 'something_long'.repeat(100) });
  expect([refused.status, refused.body.message]).toEqual([400, 'Metric image could not be updated']);
  const other = await incident();
  for (const answer of [await change(other, body.id, planner, {}), await remove(other, body.id, planner)])
    expect([answer.status, answer.body.message]).toEqual([404, 'Metric image not found']);
  const plain = await incident({ issue_type: 'issue' });
  const no = await upload(plain, planner);
  expect([no.status, no.body.message]).toEqual([403, 'Not allowed!']);
  expect((await app.api('POST', base, { token: planner.secret, json: {} })).status).toBe(400);
});

describe('who', () => {
  it('sees the incident sees its images, also the file; planners and the author change them', async () => {
    const base = await incident({ confidential: true });
    const { body } = await upload(base, planner);
    const open = await incident();
    const { body: shown } = await upload(open, planner);
    expect((await upload(open, guest)).status).toBe(403);
    for (const who of [guest, stranger]) expect((await list(base, who)).status).toBe(404);
    expect((await remove(base, body.id, guest)).status).toBe(404);
    expect((await remove(open, shown.id, guest)).status).toBe(403);
    expect((await change(open, shown.id, guest, {})).status).toBe(403);
    expect((await list(open, null)).status).toBe(404);
    const file = async (path: string, who: BuiltToken | null) =>
      (await app.request('GET', path, { token: who?.secret })).status;
    expect(await file(body.file_path, planner)).toBe(200);
    for (const who of [guest, stranger, null]) expect(await file(body.file_path, who)).toBe(404);
    expect([await file(shown.file_path, guest), await file(shown.file_path, stranger)]).toEqual([200, 404]);
    expect(await file(shown.file_path.replace('cpu_load', 'other'), guest)).toBe(404);
    const { headers } = await app.request('GET', shown.file_path, { token: guest.secret });
    expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual(['image/png', 'nosniff']);
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const own = await incident({ issue_type: 'issue', title: 'Mine' }, author);
    const iid = Number(own.split('/')[4]);
    await app.api('PUT', `/projects/${project.id}/issues/${iid}`, {
      token: planner.secret,
      json: { issue_type: 'incident' },
    });
    const { body: mine } = await upload(own, planner);
    expect((await change(own, mine.id, author, { url_text: 'Mine' })).status).toBe(200);
    expect((await remove(own, mine.id, author)).status).toBe(204);
  });
});
