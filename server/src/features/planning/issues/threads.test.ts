/** Threads of issues, and to-dos about them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;
interface Found extends Json {
  readonly id: number;
}
interface DiscussionJson {
  readonly id: string;
  readonly individual_note: boolean;
  readonly notes: readonly (Found & { readonly body: string })[];
}

let app: TestApp;
let owner: BuiltToken;
let reporter: BuiltToken;
let guest: BuiltToken;
let project: Project;
let base: string;
beforeAll(async () => {
  app = await startTestApp();
  [owner, reporter, guest] = [await buildToken(app), await buildToken(app), await buildToken(app)];
  project = await buildProject(app, { visibility: 'private' });
  for (const [{ user }, level] of [
    [owner, Level.owner],
    [reporter, Level.reporter],
    [guest, Level.guest],
  ] as const)
    await buildMember(app, { user, of: project, level });
  base = `/projects/${project.id}/issues`;
});
afterAll(() => app.close());

const as = (who: BuiltToken) => ({ token: who.secret });
async function make(json: Json = {}, by = owner) {
  const made = await app.api<Found & { iid: number }>('POST', base, {
    json: { title: 'An issue', ...json },
    ...as(by),
  });
  expect(made.status).toBe(201);
  return { ...made.body, path: `${base}/${made.body.iid}` };
}
const post = <T = Found>(path: string, json: Json, by = owner) => app.api<T>('POST', path, { json, ...as(by) });
const todos = async (who: BuiltToken, query: Json = {}) =>
  (await app.api<(Found & { target: Found })[]>('GET', '/todos', { query, ...as(who) })).body;

describe('threads of issues', () => {
  it('[2/api.discussions/2] [2/api.discussions/3] [2/api.discussions/4 body] [2/api.discussions/6] [2/api.discussions/7] [2/fields.discussion-and-note/1 id, individual_note, notes] [2/fields.discussion-and-note/2 type, DiscussionNote, body, attachment, system, noteable_id, noteable_iid, noteable_type, Issue, project_id, resolvable, confidential, commands_changes] are begun, listed, read, changed and removed', async () => {
    const { path, id, iid } = await make();
    await post(`${path}/notes`, { body: 'alone' }, guest);
    const begun = await post<DiscussionJson>(`${path}/discussions`, { body: 'begun' }, guest);
    expect([begun.status, begun.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        individual_note: false,
        notes: [
          expect.objectContaining({
            type: 'DiscussionNote',
            body: 'begun',
            attachment: null,
            system: false,
            noteable_id: id,
            noteable_iid: iid,
            noteable_type: 'Issue',
            project_id: project.id,
            resolvable: true,
            confidential: false,
            commands_changes: {},
          }),
        ],
      },
    ]);
    const list = await app.api<DiscussionJson[]>('GET', `${path}/discussions`, as(reporter));
    expect(list.body.map(({ individual_note, notes }) => [individual_note, notes.map(({ body }) => body)])).toEqual([
      [true, ['alone']],
      [false, ['begun']],
    ]);
    const paged = await app.api<DiscussionJson[]>('GET', `${path}/discussions`, {
      query: { per_page: 1 },
      ...as(owner),
    });
    expect([paged.body.length, paged.headers.get('x-total')]).toEqual([1, '2']);
    const thread = `${path}/discussions/${begun.body.id}`;
    expect((await app.api('GET', thread, as(owner))).body).toEqual(list.body[1]);
    const note = `${thread}/notes/${begun.body.notes[0]?.id}`;
    const changed = await app.api<Found>('PUT', note, { json: { body: 'better' }, ...as(guest) });
    expect([changed.status, changed.body.body]).toEqual([200, 'better']);
    expect((await app.api('PUT', note, { json: { body: 'x' }, ...as(reporter) })).status).toBe(403);
    expect((await app.api('DELETE', note, as(guest))).status).toBe(204);
    expect((await app.api('GET', thread, as(owner))).status).toBe(404);
    expect((await app.api('GET', path, as(owner))).body).toMatchObject({ user_notes_count: 1 });
  });

  it('[2/api.discussions/5 body, discussion_id, note_id, created_at] take replies, which make a thread of a single comment', async () => {
    const { path } = await make();
    const { body: alone } = await post(`${path}/notes`, { body: 'alone' });
    const [single] = (await app.api<DiscussionJson[]>('GET', `${path}/discussions`, as(owner))).body;
    const created_at = '2021-02-03T04:05:06.000Z';
    const json = { body: 'not any more', note_id: alone.id, created_at };
    const reply = await post(`${path}/discussions/${single?.id}/notes`, json);
    expect([reply.status, reply.body]).toMatchObject([201, { type: 'DiscussionNote', created_at }]);
    const thread = await app.api<DiscussionJson>('GET', `${path}/discussions/${single?.id}`, as(owner));
    expect(thread.body).toMatchObject({ individual_note: false, notes: [{ body: 'not any more' }, { id: alone.id }] });
    expect((await post(`${path}/discussions/${'f'.repeat(40)}/notes`, { body: 'x' })).body).toEqual({
      message: '404 Discussion Not Found',
    });
  });

  it('[2/api.discussions/4 POST /projects/:id/issues/:issue_iid/discussions, created_at] are dated by owners, and by nobody else', async () => {
    const { path } = await make();
    const created_at = '2021-02-03T04:05:06.000Z';
    const dated = async (who: BuiltToken) =>
      (await post<DiscussionJson>(`${path}/discussions`, { body: 'dated', created_at }, who)).body.notes[0]?.created_at;
    expect(await dated(owner)).toBe(created_at);
    expect(await dated(guest)).not.toBe(created_at);
    const invalid = await post(`${path}/discussions`, { body: 'dated', created_at: 'yesterday' });
    expect(invalid).toMatchObject({ status: 400, body: { error: 'created_at is invalid' } });
  });

  it('have the reactions to their comments, with their HTML', async () => {
    const { path } = await make();
    const note = await post(`${path}/notes`, { body: 'alone' }, guest);
    await post(`${path}/notes`, { body: 'another' }, guest);
    for (const [name, by] of [
      ['heart', guest],
      ['tada', owner],
      ['heart', owner],
    ] as const)
      expect((await post(`${path}/notes/${note.body.id}/award_emoji`, { name }, by)).status).toBe(201);
    const reactions = async (query: Json) =>
      (await app.api<DiscussionJson[]>('GET', `${path}/discussions`, { query, ...as(reporter) })).body.map(
        ({ notes }) => notes[0]?.award_emoji as { name: string; user: { id: number } }[] | undefined,
      );
    expect(await reactions({})).toEqual([undefined, undefined]);
    const [first, second] = await reactions({ render_html: true });
    expect(second).toEqual([]);
    expect(first?.map(({ name, user }) => [name, user.id])).toEqual([
      ['heart', guest.user.id],
      ['tada', owner.user.id],
      ['heart', owner.user.id],
    ]);
  });

  it('of confidential issues are for those who see these', async () => {
    const { path, id } = await make({ confidential: true });
    const { body: begun } = await post<DiscussionJson>(`${path}/discussions`, { body: `@${guest.user.username}` });
    for (const url of ['discussions', `discussions/${begun.id}`, 'notes', 'award_emoji', 'resource_state_events'])
      expect([url, (await app.api('GET', `${path}/${url}`, as(guest))).status]).toEqual([url, 404]);
    for (const url of ['notes', 'subscribe', 'todo', 'award_emoji'])
      expect((await post(`${path}/${url}`, { body: 'x', name: 'star' }, guest)).status).toBe(404);
    expect((await todos(guest)).filter(({ target }) => target.id === id)).toEqual([]);
  });
});

describe('to-dos', () => {
  it('[2/api.issues/31 304] [2/fields.to-do-item/1 id, project, name, name_with_namespace, path, path_with_namespace, author, action_name, marked, target_type, Issue, target, target_url, body, state, pending, created_at] are marked once', async () => {
    const { path, id, iid } = await make();
    const made = await post(`${path}/todo`, {}, guest);
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        project: { id: project.id, name: project.name, path: project.path },
        author: { id: guest.user.id },
        action_name: 'marked',
        target_type: 'Issue',
        target: { id, iid, title: 'An issue', state: 'opened' },
        target_url: expect.stringMatching(new RegExp(`/-/issues/${iid}$`)),
        body: 'An issue',
        state: 'pending',
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await post(`${path}/todo`, {}, guest)).status).toBe(304);
    expect((await todos(guest, { type: 'Issue', action: 'marked' })).map((todo) => todo.id)).toEqual([made.body.id]);
    expect((await app.api('POST', `/todos/${made.body.id}/mark_as_done`, as(guest))).body).toMatchObject({
      state: 'done',
    });
  });
});
