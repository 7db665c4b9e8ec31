/** Topics of the instance, and those given on projects: one thing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildProject, buildToken, unique } from '../../../../test/factories.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let admin: BuiltToken;
let ann: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  ann = await buildToken(app);
});
afterAll(() => app.close());

const api = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token?: BuiltToken, json?: Json) =>
  app.api<Json>(method, path, { token: token?.secret, ...(json ? { json } : {}) });
const make = async (more: Json = {}) => {
  const name = unique('topic');
  const answer = await api('POST', '/topics', admin, { name, title: 'Title', ...more });
  expect(answer.status).toBe(201);
  return answer.body as { id: number; name: string };
};
const list = async (query: Record<string, string | number | boolean>) =>
  (await app.api<Json[]>('GET', '/topics', { query })).body;
const projectWith = async (...topics: string[]) => {
  const { id } = await buildProject(app, { owner: ann.user, visibility: 'public' });
  await api('PUT', `/projects/${id}`, ann, { topics });
  return id;
};
const topicsOf = async (id: number) => (await api('GET', `/projects/${id}`, ann)).body.topics;

describe('topics of projects', () => {
  it('are listed for everybody, those of most projects first', async () => {
    const prefix = unique('common');
    const [often, once, never] = [`${prefix} often`, `${prefix} once`, `${prefix}-never`];
    await make({ name: never });
    const first = await projectWith(once, often);
    await projectWith(often);
    const found = await list({ search: prefix.toUpperCase() });
    expect(found.map(({ name, title, total_projects_count }) => [name, title, total_projects_count])).toEqual([
      [often, often, 2],
      [once, once, 1],
      [never, 'Title', 0],
    ]);
    expect((await list({ search: prefix, without_projects: true })).map(({ name }) => name)).toEqual([never]);
    expect((await list({ search: prefix, per_page: 1, page: 2 })).map(({ name }) => name)).toEqual([once]);
    expect(await list({ search: '%' })).toEqual([]);

    await api('PUT', `/projects/${first}`, ann, { topics: [often] });
    await app.db.deleteFrom('projects').where('id', '=', first).execute();
    expect((await list({ search: prefix })).map(({ total_projects_count: count }) => count)).toEqual([1, 0, 0]);
  });

  it('are spelled as the first who gave them did', async () => {
    const name = unique('Spelled');
    const first = await projectWith(name);
    const second = await projectWith(unique('before'), name.toUpperCase());
    expect((await topicsOf(second))?.toString()).toMatch(new RegExp(`^before.*,${name}$`));
    const [topic] = await list({ search: name });
    expect(topic).toMatchObject({ name, total_projects_count: 2 });
    const filtered = await app.api<Json[]>('GET', '/projects', {
      query: { topic_id: Number(topic?.id), order_by: 'id', sort: 'asc' },
    });
    expect(filtered.body.map(({ id }) => id)).toEqual([first, second]);
  });
});

describe('administrators', () => {
  it('make them, and nobody else', async () => {
    const name = unique('made');
    const body = { name, title: 'Made', description: 'About' };
    expect((await api('POST', '/topics', undefined, body)).status).toBe(401);
    expect((await api('POST', '/topics', ann, body)).status).toBe(403);
    expect((await api('POST', '/topics', admin, { name })).status).toBe(400);
    const made = await api('POST', '/topics', admin, body);
    expect(made).toMatchObject({
      status: 201,
      body: { ...body, total_projects_count: 0, organization_id: 1, avatar_url: null },
    });
    expect(await api('GET', `/topics/${made.body.id}`)).toMatchObject({ status: 200, body: made.body });
    expect((await api('GET', '/topics/999999')).body).toEqual({ message: '404 Topic Not Found' });
    for (const [bad, message] of [
      [name.toUpperCase(), 'has already been taken'],
      [' ', "can't be blank"],
      ['a,b', 'cannot contain a comma'],
    ] as const)
      expect(await api('POST', '/topics', admin, { name: bad, title: 'x' })).toMatchObject({
        status: 400,
        body: { message: { name: [message] } },
      });
  });

  it('change them, and projects follow', async () => {
    const topic = await make();
    const project = await projectWith('first', topic.name, 'last');
    const name = unique('renamed');
    expect((await api('PUT', `/topics/${topic.id}`, ann, { name })).status).toBe(403);
    expect((await api('PUT', `/topics/${topic.id}`, admin, {})).status).toBe(400);
    expect((await api('PUT', '/topics/999999', admin, { name })).status).toBe(404);
    expect(await api('PUT', `/topics/${topic.id}`, admin, { name, description: 'New' })).toMatchObject({
      status: 200,
      body: { name, description: 'New', title: 'Title', total_projects_count: 1 },
    });
    expect(await topicsOf(project)).toEqual(['first', name, 'last']);
    expect(await list({ search: topic.name })).toEqual([]);
    const upper = name.toUpperCase();
    expect((await api('PUT', `/topics/${topic.id}`, admin, { name: upper })).body.total_projects_count).toBe(1);
    expect(await topicsOf(project)).toEqual(['first', upper, 'last']);
    const other = await make();
    expect((await api('PUT', `/topics/${topic.id}`, admin, { name: other.name })).status).toBe(400);
  });

  it('remove them, from projects too', async () => {
    const topic = await make();
    const project = await projectWith('first', topic.name);
    expect((await api('DELETE', `/topics/${topic.id}`, ann)).status).toBe(403);
    expect((await api('DELETE', `/topics/${topic.id}`, admin)).status).toBe(204);
    expect((await api('DELETE', `/topics/${topic.id}`, admin)).status).toBe(404);
    expect(await topicsOf(project)).toEqual(['first']);
  });

  it('merge them: one goes, and its projects have the other', async () => {
    const [source, target] = [await make(), await make()];
    const one = await projectWith(source.name, 'other');
    const both = await projectWith(source.name, target.name);
    const merge = (from: number, to: number, token?: BuiltToken) =>
      api('POST', '/topics/merge', token, { source_topic_id: from, target_topic_id: to });
    expect((await merge(source.id, target.id)).status).toBe(401);
    expect((await merge(source.id, target.id, ann)).status).toBe(403);
    expect((await merge(source.id, source.id, admin)).body).toEqual({
      message: 'The source topic and the target topic are identical.',
    });
    expect((await merge(source.id, 999_999, admin)).status).toBe(404);
    expect(await merge(source.id, target.id, admin)).toMatchObject({
      status: 201,
      body: { id: target.id, total_projects_count: 2 },
    });
    expect([await topicsOf(one), await topicsOf(both)]).toEqual([[target.name, 'other'], [target.name]]);
    expect((await api('GET', `/topics/${source.id}`)).status).toBe(404);
    const events = await app.db
      .selectFrom('audit_events')
      .select(['event', 'details'])
      .where('event', '=', 'topic_merged')
      .execute();
    expect(events).toMatchObject([{ details: { topic: source.name, into: target.name } }]);
  });

  it('security 5: give them pictures', async () => {
    const topic = await make();
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const send = (avatar: Buffer | string) => {
      const form = new FormData();
      form.set('avatar', typeof avatar === 'string' ? avatar : new File([new Uint8Array(avatar)], '../x.html'));
      return app.api<Json>('PUT', `/topics/${topic.id}`, { token: admin.secret, form });
    };
    const url = String((await send(png)).body.avatar_url);
    expect(url).toMatch(new RegExp(`/uploads/-/system/projects/topic/avatar/${topic.id}/x\\.png$`));
    const served = await fetch(url);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await send(Buffer.from('<svg/>'))).status).toBe(400);
    expect((await send('')).body.avatar_url).toBeNull();
    expect((await fetch(url)).status).toBe(404);
  });
});
