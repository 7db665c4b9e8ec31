/** Comments and threads about merge requests: single ones and threads, resolving, internal ones, system notes, positions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { ofProject, systemNote } from '../../collaboration/notes/index.ts';

interface NoteJson extends Json {
  readonly id: number;
  readonly body: string;
}
interface DiscussionJson extends Json {
  readonly id: string;
  readonly individual_note: boolean;
  readonly notes: readonly NoteJson[];
}

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
let reporter: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, {
    files: { 'a.txt': 'one\ntwo\nthree\n', 'long.txt': `${[...Array(40).keys()].join('\n')}\n` },
    settings: { visibility: 'public' },
  });
  developer = await project.member(Level.developer);
  reporter = await project.member(Level.reporter);
  guest = await project.member(Level.guest);
  stranger = await buildToken(app);
});
afterAll(() => app.close());

let count = 0;
/** An open merge request that changes two files. */
async function request(author = developer, files: Json = {}) {
  count += 1;
  const branch = `topic-${count}`;
  await project.commit(
    branch,
    [
      { action: 'update', file_path: 'a.txt', content: `one\nzwei ${count}\nthree\nfour\n` },
      {
        action: 'update',
        file_path: 'long.txt',
        content: `${[...Array(40).keys()].map((n) => (n === 10 ? 'ten\nand more' : n)).join('\n')}\n`,
      },
    ],
    { start_branch: 'main', ...files },
  );
  const made = await project.api<Json & { iid: number; id: number }>('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: `Topic ${count}` },
    token: author.secret,
  });
  expect(made.status).toBe(201);
  return { ...made.body, path: `/merge_requests/${made.body.iid}` };
}
const as = (who: BuiltToken) => ({ token: who.secret });
const say = (path: string, json: Json, who: BuiltToken = developer) =>
  project.api<NoteJson>('POST', `${path}/notes`, { json, ...as(who) });
const begin = (path: string, json: Json, who: BuiltToken = developer) =>
  project.api<DiscussionJson>('POST', `${path}/discussions`, { json, ...as(who) });
const threads = async (path: string, who: BuiltToken = developer) =>
  (await project.api<DiscussionJson[]>('GET', `${path}/discussions`, as(who))).body;
const bodies = async (path: string, query: Json = {}, who: BuiltToken = developer) =>
  (await project.api<NoteJson[]>('GET', `${path}/notes`, { query, ...as(who) })).body.map(({ body }) => body);

describe('single comments', () => {
  it('[2/fields.discussion-and-note/2 id, author, created_at, updated_at] have the fields of notes, and count', async () => {
    const { path, id, iid } = await request();
    const made = await say(path, { body: 'Nice **work**' }, reporter);
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        type: null,
        body: 'Nice **work**',
        attachment: null,
        author: expect.objectContaining({ id: reporter.user.id, username: reporter.user.username }),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
        system: false,
        noteable_id: id,
        noteable_type: 'MergeRequest',
        noteable_iid: iid,
        project_id: project.id,
        resolvable: false,
        confidential: false,
        internal: false,
        imported: false,
        imported_from: 'none',
        commands_changes: {},
      },
    ]);
    expect((await project.api('GET', `${path}/notes/${made.body.id}`)).body).toEqual(made.body);
    expect((await project.api('GET', path)).body).toMatchObject({ user_notes_count: 1 });
    const edited = await project.api<NoteJson>('PUT', `${path}/notes/${made.body.id}`, {
      json: { body: 'Nicer' },
      ...as(reporter),
    });
    expect([edited.status, edited.body.body]).toEqual([200, 'Nicer']);
    expect((await project.api('DELETE', `${path}/notes/${made.body.id}`, as(developer))).status).toBe(403);
    expect((await project.api('DELETE', `${path}/notes/${made.body.id}`, as(reporter))).status).toBe(204);
    expect((await project.api('GET', `${path}/notes/${made.body.id}`)).body).toEqual({ message: '404 Not found' });
    expect((await project.api('GET', path)).body).toMatchObject({ user_notes_count: 0 });
  });

  it('are listed the newest first, or as asked, with or without what the service wrote', async () => {
    const { path, id, iid } = await request();
    for (const body of ['first', 'second', 'third']) await say(path, { body });
    const row = ofProject('merge_request', { id, iid, project_id: project.id });
    await app.db.transaction().execute((tx) => systemNote(tx, row, developer.user.id, 'title', 'changed the title'));
    expect(await bodies(path)).toEqual(['changed the title', 'third', 'second', 'first']);
    expect(await bodies(path, { sort: 'asc', activity_filter: 'only_comments' })).toEqual(['first', 'second', 'third']);
    expect(await bodies(path, { activity_filter: 'only_activity' })).toEqual(['changed the title']);
    expect(await bodies(path, { sort: 'asc', per_page: 2, page: 2 })).toEqual(['third', 'changed the title']);
    const [first] = (await project.api<NoteJson[]>('GET', `${path}/notes`, { query: { sort: 'asc' } })).body;
    await project.api('PUT', `${path}/notes/${first?.id}`, { json: { body: 'first again' }, ...as(developer) });
    expect((await bodies(path, { order_by: 'updated_at' }))[0]).toBe('first again');
    expect((await project.api('GET', `${path}/notes`, { query: { sort: 'up' } })).body).toEqual({
      error: 'sort does not have a valid value',
    });
    const [system] = (await project.api<NoteJson[]>('GET', `${path}/notes`)).body;
    expect(system).toMatchObject({ system: true, type: null, resolvable: false });
    // What the service wrote is nobody's to change or to reply to.
    expect((await project.api('PUT', `${path}/notes/${system?.id}`, { json: { body: 'x' } })).status).toBe(403);
    const thread = (await threads(path)).find(({ notes }) => notes[0]?.id === system?.id);
    expect((await project.api('POST', `${path}/discussions/${thread?.id}/notes`, { json: { body: 'x' } })).status).toBe(
      400,
    );
  });

  it('become threads when somebody replies', async () => {
    const { path } = await request();
    const { body: alone } = await say(path, { body: 'alone' }, reporter);
    const [single] = await threads(path);
    expect(single).toMatchObject({ individual_note: true, notes: [{ id: alone.id, type: null }] });
    const reply = await project.api<NoteJson>('POST', `${path}/discussions/${single?.id}/notes`, {
      json: { body: 'not any more', note_id: alone.id },
      ...as(developer),
    });
    expect(reply).toMatchObject({ status: 201, body: { type: 'DiscussionNote', resolvable: true, resolved: false } });
    const [thread] = await threads(path);
    expect(thread).toMatchObject({
      id: single?.id,
      individual_note: false,
      notes: [
        { id: alone.id, type: 'DiscussionNote', resolvable: true },
        { body: 'not any more', type: 'DiscussionNote' },
      ],
    });
  });

  it('are for those who see it and are signed in; locked ones for members', async () => {
    const { path, iid } = await request();
    expect((await project.api('POST', `${path}/notes`, { json: { body: 'x' }, token: null })).status).toBe(401);
    expect((await say(path, { body: 'x' }, stranger)).status).toBe(201);
    expect((await project.api('POST', '/merge_requests/9999/notes', { json: { body: 'x' } })).body).toEqual({
      message: '404 Not found',
    });
    const { body: own } = await say(path, { body: 'mine' }, stranger);
    await project.api('PUT', path, { json: { discussion_locked: true } });
    expect((await say(path, { body: 'x' }, stranger)).status).toBe(403);
    expect((await say(path, { body: 'x' }, guest)).status).toBe(201);
    const edit = (who: BuiltToken) =>
      project.api('PUT', `${path}/notes/${own.id}`, { json: { body: 'y' }, ...as(who) });
    expect([(await edit(stranger)).status, (await edit(project.owner)).status]).toEqual([403, 200]);
    // Nobody without the right to see merge requests finds their comments.
    await project.api('PUT', '', { json: { merge_requests_access_level: 'private' } });
    expect((await project.api('GET', `/merge_requests/${iid}/notes`, as(stranger))).status).toBe(403);
    await project.api('PUT', '', { json: { merge_requests_access_level: 'enabled' } });
  });

  it('[2/api.discussions/1 created_at] are dated by owners and administrators', async () => {
    const { path } = await request();
    const created_at = '2020-02-03T04:05:06.789Z';
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    for (const [who, dated] of [
      [project.owner, true],
      [admin, true],
      [developer, false],
    ] as const) {
      const { body } = await say(path, { body: 'then', created_at }, who);
      expect([body.created_at === created_at, body.updated_at === created_at]).toEqual([dated, dated]);
    }
  });
});

describe('threads', () => {
  it('are resolved and opened again, whole or by comment', async () => {
    const { path } = await request();
    const { body: begun } = await begin(path, { body: 'begun' }, reporter);
    expect(begun).toMatchObject({
      individual_note: false,
      notes: [{ type: 'DiscussionNote', resolvable: true, resolved: false, resolved_by: null, resolved_at: null }],
    });
    const thread = `${path}/discussions/${begun.id}`;
    const reply = await project.api<NoteJson>('POST', `${thread}/notes`, { json: { body: 'on' }, ...as(stranger) });
    const resolve = (who: BuiltToken, resolved = true) =>
      project.api<DiscussionJson>('PUT', thread, { json: { resolved }, ...as(who) });
    expect((await resolve(stranger)).status).toBe(403);
    const done = await resolve(developer);
    expect(done.status).toBe(200);
    for (const note of done.body.notes)
      expect(note).toMatchObject({
        resolved: true,
        resolved_by: { id: developer.user.id },
        resolved_at: expect.stringMatching(/Z$/),
      });
    // A reply to what is resolved leaves it so.
    const more = await project.api('POST', `${thread}/notes`, { json: { body: 'more' }, ...as(stranger) });
    expect(more.body).toMatchObject({ resolved: true });
    expect((await resolve(reporter, false)).body.notes.map(({ resolved }) => resolved)).toEqual([false, false, false]);
    const single = `${thread}/notes/${reply.body.id}`;
    const put = (json: Json, who = developer) => project.api('PUT', single, { json, ...as(who) });
    expect((await put({ resolved: true }, stranger)).body).toMatchObject({ resolved: true });
    expect((await threads(path))[0]?.notes.map(({ resolved }) => resolved)).toEqual([false, true, false]);
    expect((await put({})).body).toEqual({
      error: 'body, resolved are missing, exactly one parameter must be provided',
    });
    expect((await put({ resolved: true, body: 'x' })).body).toEqual({ error: 'body, resolved are mutually exclusive' });
    expect((await project.api('PUT', thread, { json: {} })).body).toEqual({ error: 'resolved is missing' });
    const alone = await say(path, { body: 'alone' });
    const its = (await threads(path)).find(({ notes }) => notes[0]?.id === alone.body.id);
    expect((await project.api('PUT', `${path}/discussions/${its?.id}`, { json: { resolved: true } })).status).toBe(403);
    const note = `${path}/discussions/${its?.id}/notes/${alone.body.id}`;
    expect((await project.api('PUT', note, { json: { resolved: true } })).body).toEqual({
      message: '400 Bad request - Note is not resolvable',
    });
  });

  it('that are open say so where the project wants all of them resolved', async () => {
    const { path } = await request();
    const { body: begun } = await begin(path, { body: 'open' });
    const blocking = async () => (await project.api('GET', path)).body.blocking_discussions_resolved;
    expect(await blocking()).toBe(true);
    await project.api('PUT', '', { json: { only_allow_merge_if_all_discussions_are_resolved: true } });
    expect(await blocking()).toBe(false);
    await project.api('PUT', `${path}/discussions/${begun.id}`, { json: { resolved: true } });
    expect(await blocking()).toBe(true);
    await project.api('PUT', '', { json: { only_allow_merge_if_all_discussions_are_resolved: false } });
  });

  it('give their text as HTML where asked', async () => {
    const { path } = await request();
    const { body: begun } = await begin(path, { body: '**bold**' });
    const query = { render_html: true };
    const listed = await project.api<DiscussionJson[]>('GET', `${path}/discussions`, { query });
    expect(listed.body[0]?.notes[0]?.body_html).toMatch(/<p[^>]*><strong>bold<\/strong><\/p>/);
    const notes = await project.api<NoteJson[]>('GET', `${path}/notes`, { query });
    expect(notes.body[0]?.body_html).toContain('<strong>bold</strong>');
    for (const url of [`${path}/discussions/${begun.id}/notes`, `${path}/discussions/${begun.id}`])
      expect((await project.api('GET', url)).status).toBe(200);
    const one = `${path}/discussions/${begun.id}/notes/${begun.notes[0]?.id}`;
    expect((await project.api('GET', one)).body).toMatchObject({ body: '**bold**' });
    expect((await project.api('DELETE', one)).status).toBe(204);
    expect((await project.api('GET', `${path}/discussions/${begun.id}`)).body).toEqual({
      message: '404 Discussion Not Found',
    });
  });

  it('security 17: those of another merge request or project are not found', async () => {
    const [one, other] = [await request(), await request()];
    const { body: begun } = await begin(one.path, { body: 'here' });
    const note = begun.notes[0]?.id;
    const elsewhere = await buildRepositoryProject(app, { owner: project.owner });
    for (const [of, path] of [
      [project, other.path],
      [elsewhere, one.path],
    ] as const) {
      const thread = `${path}/discussions/${begun.id}`;
      for (const [method, url, json] of [
        ['GET', thread, undefined],
        ['PUT', thread, { resolved: true }],
        ['POST', `${thread}/notes`, { body: 'x' }],
        ['PUT', `${thread}/notes/${note}`, { body: 'x' }],
        ['DELETE', `${thread}/notes/${note}`, undefined],
        ['GET', `${path}/notes/${note}`, undefined],
        ['PUT', `${path}/notes/${note}`, { body: 'x' }],
        ['DELETE', `${path}/notes/${note}`, undefined],
      ] as const)
        expect([method, url, (await of.api(method, url, json ? { json } : {})).status]).toEqual([method, url, 404]);
    }
  });

  it('go when the merge request goes', async () => {
    const { path, id } = await request();
    await begin(path, { body: 'here' });
    const left = () =>
      app.db
        .selectFrom('notes')
        .select('id')
        .where('noteable_type', '=', 'merge_request')
        .where('noteable_id', '=', id);
    expect(await left().execute()).toHaveLength(1);
    expect((await project.api('DELETE', path)).status).toBe(204);
    expect(await left().execute()).toEqual([]);
  });
});

describe('internal comments', () => {
  it('are for members from planners and reporters on, with their threads', async () => {
    const { path } = await request();
    const planner = await project.member(Level.planner);
    const { body: made } = await say(path, { body: 'secret', internal: true }, reporter);
    expect(made).toMatchObject({ internal: true, confidential: true });
    expect((await say(path, { body: 'old name', confidential: true }, reporter)).body).toMatchObject({
      internal: true,
      confidential: true,
    });
    const { body: begun } = await begin(path, { body: 'hidden thread', internal: true }, reporter);
    const reply = await project.api('POST', `${path}/discussions/${begun.id}/notes`, { json: { body: 'hidden too' } });
    expect(reply.body).toMatchObject({ internal: true });
    await say(path, { body: 'open' });
    const all = ['open', 'hidden too', 'hidden thread', 'old name', 'secret'];
    for (const who of [reporter, planner, developer]) expect(await bodies(path, {}, who)).toEqual(all);
    for (const who of [guest, stranger]) {
      expect(await bodies(path, {}, who)).toEqual(['open']);
      expect((await threads(path, who)).map(({ notes }) => notes.map(({ body }) => body))).toEqual([['open']]);
      for (const url of [`/notes/${made.id}`, `/discussions/${begun.id}`, `/discussions/${begun.id}/notes`])
        expect((await project.api('GET', `${path}${url}`, as(who))).status).toBe(404);
      expect(
        (await project.api('POST', `${path}/discussions/${begun.id}/notes`, { json: { body: 'x' }, ...as(who) }))
          .status,
      ).toBe(404);
      // Nobody finds what they believed to be internal in public.
      expect((await say(path, { body: 'x', internal: true }, who)).status).toBe(403);
    }
    const listed = await project.api('GET', `${path}/notes`, as(guest));
    expect(listed.headers.get('x-total')).toBe('1');
    const events = await app.api<Json[]>('GET', `/users/${reporter.user.id}/events`, as(guest));
    expect(JSON.stringify(events.body)).not.toContain('secret');
  });
});

describe('positions', () => {
  it('stand on lines of the change and around it, on files, and nowhere else', async () => {
    const { path } = await request();
    const { body: mr } = await project.api<{ diff_refs: Json }>('GET', path);
    const at = (more: Json) => ({
      position: { ...mr.diff_refs, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt', ...more },
    });
    const added = await begin(path, { body: 'added', ...at({ new_line: 2 }) });
    expect([added.status, added.body.notes[0]]).toMatchObject([
      201,
      {
        type: 'DiffNote',
        resolvable: true,
        commit_id: null,
        position: { ...mr.diff_refs, new_path: 'a.txt', new_line: 2, old_line: null, line_range: null },
      },
    ]);
    // By one of its paths, as bots name an added line.
    const bot = await begin(path, { body: 'bot', ...at({ old_path: undefined, new_line: 2 }) });
    expect([bot.status, bot.body.notes[0]]).toMatchObject([201, { position: added.body.notes[0]?.position }]);
    const long = { old_path: 'long.txt', new_path: 'long.txt' };
    for (const [more, status] of [
      [{ old_line: 2 }, 201],
      [{ old_line: 3, new_line: 3 }, 201],
      [{ old_line: 3, new_line: 4 }, 400],
      [{ new_line: 9 }, 400],
      [{}, 400],
      // Outside of the hunk, below and above it.
      [{ ...long, old_line: 30, new_line: 31 }, 201],
      [{ ...long, old_line: 2, new_line: 2 }, 201],
      [{ ...long, old_line: 30, new_line: 30 }, 400],
      [{ ...long, old_line: 400, new_line: 401 }, 400],
      [{ old_path: 'no.txt', new_path: 'no.txt', new_line: 1 }, 400],
      [{ position_type: 'file' }, 201],
      [{ position_type: 'file', old_path: 'no', new_path: 'no' }, 400],
      [{ position_type: 'image', width: 5, height: 5, x: 1, y: 2 }, 201],
      [{ new_line: 2, head_sha: 'f'.repeat(40) }, 400],
      [{ new_line: 2, base_sha: 'main' }, 400],
    ] as const)
      expect([more, (await begin(path, { body: 'x', ...at(more) })).status]).toEqual([more, status]);
    const reply = await project.api('POST', `${path}/discussions/${added.body.id}/notes`, { json: { body: 'so' } });
    // An answer stands where what it answers stands, as clients expect it.
    expect(reply.body).toMatchObject({ type: 'DiffNote', resolvable: true, commit_id: null });
    expect(reply.body).toMatchObject({ position: added.body.notes[0]?.position });
    const commit = String(mr.diff_refs.head_sha);
    const inCommit = await begin(path, { body: 'here', commit_id: commit, ...at({ new_line: 2 }) });
    expect(inCommit.body.notes[0]).toMatchObject({ commit_id: commit });
    const there = await project.api('POST', `${path}/discussions/${inCommit.body.id}/notes`, { json: { body: 'yes' } });
    expect(there.body).toMatchObject({ type: 'DiffNote', commit_id: commit, position: { new_line: 2 } });
  });
});
