/** Comments and threads about commits: who reads and writes them, where they stand, and who hears of them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { stopClock } from '../../../../test/windows.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface NoteJson extends Json {
  readonly id: number;
  readonly body: string;
}
interface DiscussionJson {
  readonly id: string;
  readonly individual_note: boolean;
  readonly notes: readonly NoteJson[];
}

let app: TestApp;
let project: RepositoryProject;
let reporter: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
/** A commit that changes the second of three lines and renames a file, and the one before it. */
let sha: string;
let first: string;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\ntwo\nthree\n', 'old.txt': 'x\n'.repeat(9) } });
  const { body } = await project.api<Json[]>('GET', '/repository/commits');
  first = String(body[0]?.id);
  sha = await project.commit(
    'main',
    [
      { action: 'update', file_path: 'a.txt', content: 'one\nzwei\nthree\n' },
      { action: 'move', file_path: 'new.txt', previous_path: 'old.txt' },
    ],
    { commit_message: 'Second of all\n\nWith a body' },
  );
  reporter = await project.member(Level.reporter);
  guest = await project.member(Level.guest);
  stranger = await buildToken(app);
});
afterAll(() => app.close());

const at = (revision = sha) => `/repository/commits/${encodeURIComponent(revision)}`;
const say = <T = Json>(json: Json, who: BuiltToken | null = project.owner, revision = sha) =>
  project.api<T>('POST', `${at(revision)}/comments`, { json, token: who?.secret ?? null });
const begin = async (json: Json, who: BuiltToken = project.owner, revision = sha) =>
  await project.api<DiscussionJson>('POST', `${at(revision)}/discussions`, { json, token: who.secret });
const threads = async (revision = sha, query: Json = {}) =>
  (await project.api<DiscussionJson[]>('GET', `${at(revision)}/discussions`, { query })).body;
/** A commit that nobody has said anything about. */
let count = 0;
const fresh = async () => {
  count += 1;
  return await project.commit(`fresh-${count}`, { [`fresh-${count}`]: 'f\n' }, { start_branch: 'main' });
};
const lines = (old_line: number | null, new_line: number | null, more: Json = {}) => ({
  ...{ base_sha: first, start_sha: first, head_sha: sha, position_type: 'text' },
  ...{ old_path: 'a.txt', new_path: 'a.txt', old_line, new_line, ...more },
});

describe('comments', () => {
  it('stand on the commit, or on a line that it changes', async () => {
    const plain = await say({ note: 'Nice **work**' });
    expect([plain.status, plain.body]).toEqual([
      201,
      {
        note: 'Nice **work**',
        path: null,
        line: null,
        line_type: null,
        author: expect.objectContaining({ id: project.owner.user.id, username: project.owner.user.username }),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    // A branch names its commit; anybody who reads the code may write.
    const added = await say({ note: 'added', path: 'a.txt', line: 2, line_type: 'new' }, reporter, 'main');
    expect(added.body).toMatchObject({ path: 'a.txt', line: 2, line_type: 'new', author: { id: reporter.user.id } });
    const usual = await say({ note: 'usual', path: 'a.txt', line: 2 });
    expect(usual.body).toMatchObject({ path: 'a.txt', line: 2, line_type: 'new' });
    const removed = await say({ note: 'removed', path: 'a.txt', line: 2, line_type: 'old' });
    expect(removed.body).toMatchObject({ path: 'a.txt', line: 2, line_type: 'old' });
    // A line that it does not change makes it a plain one.
    for (const where of [
      { path: 'a.txt', line: 1 },
      { path: 'a.txt', line: 99 },
      { path: 'nothing.txt', line: 2 },
    ])
      expect((await say({ note: 'elsewhere', ...where })).body).toMatchObject({ path: null, line: null });
    const list = await project.api<Json[]>('GET', `${at()}/comments`, { query: { per_page: 4 } });
    expect(list.body.map(({ note }) => note)).toEqual(['Nice **work**', 'added', 'usual', 'removed']);
    expect([list.headers.get('x-total'), list.headers.get('x-next-page')]).toEqual(['7', '2']);
    expect((await project.api('GET', `${at(first)}/comments`)).body).toEqual([]);
    const form = await project.api('POST', `${at(await fresh())}/comments`, { form: { note: 'from a form' } });
    expect(form.body).toMatchObject({ note: 'from a form' });
  });

  it('refuse what is none, and who may not', async () => {
    for (const [json, status, body] of [
      [{}, 400, { error: 'note is missing' }],
      [{ note: '  \n' }, 400, { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' }],
      [{ note: ['x'] }, 400, { error: 'note is invalid' }],
      [{ note: 'x', path: 'a.txt' }, 400, { error: 'line is missing' }],
      [
        { note: 'x', path: 'a.txt', line: 2, line_type: 'both' },
        400,
        { error: 'line_type does not have a valid value' },
      ],
      [
        { note: 'x'.repeat(1_000_001) },
        400,
        { message: '400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}' },
      ],
    ] as const)
      expect(await say(json)).toMatchObject({ status, body });
    for (const revision of ['nothing', 'f'.repeat(40), '--help'])
      for (const what of ['comments', 'discussions'])
        expect((await project.api('GET', `${at(revision)}/${what}`)).body).toEqual({ message: '404 Commit Not Found' });
    expect((await say({ note: 'x' }, null)).status).toBe(401);
    expect((await say({ note: 'x' }, stranger)).status).toBe(404);
    expect((await say({ note: 'x' }, guest)).status).toBe(403);
    expect((await project.api('GET', `${at()}/comments`, { token: guest.secret })).status).toBe(403);
  });
});

describe('threads', () => {
  it('begin, grow, change and end', async () => {
    const commit = await fresh();
    await say({ note: 'alone' }, reporter, commit);
    const begun = await begin({ body: 'begun' }, reporter, commit);
    expect([begun.status, begun.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^[0-9a-f]{40}$/),
        individual_note: false,
        notes: [
          {
            id: expect.any(Number),
            type: 'DiscussionNote',
            body: 'begun',
            attachment: null,
            author: expect.objectContaining({ id: reporter.user.id }),
            created_at: expect.any(String),
            updated_at: expect.any(String),
            system: false,
            noteable_id: null,
            noteable_type: 'Commit',
            noteable_iid: null,
            project_id: project.id,
            commit_id: commit,
            resolvable: false,
            confidential: false,
            internal: false,
            imported: false,
            imported_from: 'none',
            commands_changes: {},
          },
        ],
      },
    ]);
    const thread = `${at(commit)}/discussions/${begun.body.id}`;
    const reply = await project.api<NoteJson>('POST', `${thread}/notes`, { json: { body: 'and on' } });
    expect(reply).toMatchObject({ status: 201, body: { type: 'DiscussionNote', body: 'and on' } });
    const all = await threads(commit);
    expect(all.map(({ individual_note, notes }) => [individual_note, notes.map(({ body }) => body)])).toEqual([
      [true, ['alone']],
      [false, ['begun', 'and on']],
    ]);
    expect((await threads(commit, { per_page: 1, page: 2 })).map(({ id }) => id)).toEqual([begun.body.id]);
    expect(all[0]?.notes[0]).toMatchObject({ type: null });
    expect((await project.api('GET', thread)).body).toEqual(all[1]);
    expect((await project.api('GET', `${thread}/notes`)).body).toEqual(all[1]?.notes);
    expect((await project.api('GET', `${thread}/notes/${reply.body.id}`)).body).toEqual(all[1]?.notes[1]);
    expect((await project.api('GET', `${thread}/notes/${all[0]?.notes[0]?.id}`)).status).toBe(404);
    // A comment of its own stays that.
    const alone = await project.api('POST', `${at(commit)}/discussions/${all[0]?.id}/notes`, { json: { body: 'x' } });
    expect([alone.status, alone.body]).toEqual([
      400,
      { message: '400 Bad request - Discussion can not be replied to.' },
    ]);
    const own = `${thread}/notes/${begun.body.notes[0]?.id}`;
    const edited = await project.api<NoteJson>('PUT', own, { json: { body: 'better' }, token: reporter.secret });
    expect([edited.status, edited.body.body]).toEqual([200, 'better']);
    expect(Date.parse(String(edited.body.updated_at))).toBeGreaterThanOrEqual(
      Date.parse(String(begun.body.notes[0]?.updated_at)),
    );
    expect((await project.api('PUT', own, { json: { body: ' ' }, token: reporter.secret })).status).toBe(400);
    expect((await project.api('PUT', own, { json: {} })).body).toEqual({ error: 'body is missing' });
    const early = { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' };
    expect((await project.api('DELETE', own, { token: reporter.secret, headers: early })).status).toBe(412);
    expect((await project.api('DELETE', own, { token: reporter.secret })).status).toBe(204);
    expect((await threads(commit))[1]?.notes.map(({ body }) => body)).toEqual(['and on']);
    expect((await project.api('DELETE', `${thread}/notes/${reply.body.id}`)).status).toBe(204);
    expect((await project.api('GET', thread)).body).toEqual({ message: '404 Discussion Not Found' });
    expect(await threads(commit)).toHaveLength(1);
  });

  it('tag their commit for those who may push', async () => {
    const commit = await fresh();
    const tag = async (note: string, who: BuiltToken) =>
      await project.api<{ commands_changes: Json; summary: string[] }>('POST', `${at(commit)}/comments`, {
        ...{ json: { note }, token: who.secret },
      });
    const name = `said-${commit.slice(0, 8)}`;
    expect((await tag(`/tag ${name}`, reporter)).body.commands_changes).toEqual({});
    const developer = await project.member(Level.developer);
    const done = await tag(`/tag ${name} The first`, developer);
    expect([done.status, done.body.commands_changes]).toEqual([202, { tag_name: name, tag_message: 'The first' }]);
    expect((await project.api('GET', `/repository/tags/${name}`)).body).toMatchObject({
      ...{ message: 'The first', commit: { id: commit } },
    });
    expect((await threads(commit)).flatMap(({ notes }) => notes.map(({ body }) => body))).toEqual([
      `tagged commit ${commit} to \`${name}\``,
    ]);
    expect((await tag(`Again\n/tag ${name}`, developer)).status).toBe(201);
  });

  it('belong to who wrote them and to maintainers, while the project is open', async () => {
    const commit = await fresh();
    const { body } = await begin({ body: 'mine' }, reporter, commit);
    const own = `${at(commit)}/discussions/${body.id}/notes/${body.notes[0]?.id}`;
    const developer = await project.member(Level.developer);
    const maintainer = await project.member(Level.maintainer);
    const put = async (who: BuiltToken) =>
      (await project.api('PUT', own, { json: { body: 'theirs' }, token: who.secret })).status;
    expect([await put(developer), await put(guest), await put(stranger), await put(maintainer)]).toEqual([
      403, 403, 404, 200,
    ]);
    expect((await project.api('DELETE', own, { token: developer.secret })).status).toBe(403);
    const reader = await buildToken(app, { user: reporter.user, scopes: ['read_api'] });
    expect(await put(reader)).toBe(403);
    await app.db.updateTable('projects').set({ archived: true }).where('id', '=', project.id).execute();
    expect([await put(reporter), await put(maintainer), (await say({ note: 'x' })).status]).toEqual([403, 403, 403]);
    expect((await project.api('GET', `${at(commit)}/discussions`)).status).toBe(200);
    await app.db.updateTable('projects').set({ archived: false }).where('id', '=', project.id).execute();
    expect((await project.api('DELETE', own, { token: maintainer.secret })).status).toBe(204);
  });

  it('stand on lines: added, removed, unchanged; elsewhere is refused in the words of the ecosystem', async () => {
    const code = (path: string, old: number, after: number) =>
      `${createHash('sha1').update(path).digest('hex')}_${old}_${after}`;
    const made = [];
    for (const position of [lines(null, 2), lines(2, null), lines(3, 3)]) {
      const answer = await begin({ body: 'here', position });
      expect([answer.status, answer.body.notes[0]?.type]).toEqual([201, 'DiffNote']);
      expect(answer.body.notes[0]?.position).toMatchObject(position);
      made.push(answer.body.notes[0]?.id ?? 0);
    }
    const rows = await app.db.selectFrom('notes').select(['id', 'line_code']).where('id', 'in', made).execute();
    expect(made.map((id) => rows.find((row) => row.id === id)?.line_code)).toEqual([
      code('a.txt', 3, 2),
      code('a.txt', 2, 2),
      code('a.txt', 3, 3),
    ]);
    const picture = { ...lines(null, null), position_type: 'image', width: 10, height: 5, x: 1.5, y: 2 };
    expect((await begin({ body: 'seen', position: picture })).body.notes[0]?.position).toEqual({
      ...{ base_sha: first, start_sha: first, head_sha: sha, old_path: 'a.txt', new_path: 'a.txt' },
      ...{ position_type: 'image', width: 10, height: 5, x: 1.5, y: 2 },
    });
    const moved = lines(null, null, { old_path: 'old.txt', new_path: 'new.txt', position_type: 'file' });
    expect((await begin({ body: 'whole', position: moved })).status).toBe(201);
    const invalid = {
      message: '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
    };
    const refs = { message: '400 Bad request - Note {:commit_id=>["does not match the diff refs"]}' };
    for (const [position, body] of [
      [lines(1, 2), invalid],
      [lines(null, 1), invalid],
      [lines(null, null), invalid],
      [lines(null, 2, { new_path: 'b.txt' }), invalid],
      [lines(null, 2, { head_sha: first }), refs],
      [lines(null, 2, { base_sha: sha }), refs],
      [{ ...moved, old_path: 'x', new_path: 'y' }, { message: '400 Bad request - Note {:position=>["is invalid"]}' }],
    ] as const)
      expect([position, (await begin({ body: 'x', position })).body]).toEqual([position, body]);
    const { base_sha: _, new_path: _path, ...short } = lines(null, 2);
    expect((await begin({ body: 'x', position: short })).body).toEqual({ error: 'position[base_sha] is missing' });
    // One of the paths is enough: bots name an added line by the new one alone.
    const { old_path, ...pathless } = { ...short, base_sha: first };
    for (const one of [{ old_path }, { new_path: old_path }])
      expect((await begin({ body: 'x', position: { ...pathless, ...one } })).body.notes[0]?.position).toMatchObject({
        ...{ old_path, new_path: old_path, new_line: 2 },
      });
    expect((await begin({ body: 'x', position: pathless })).body).toEqual({
      error: 'position[old_path] is missing, position[new_path] is missing',
    });
    expect((await begin({ body: 'x', position: { ...pathless, new_path: 'none' } })).body).toEqual(invalid);
    // The first commit of all is counted from nothing.
    const root = lines(null, 1, { base_sha: '0'.repeat(40), start_sha: '0'.repeat(40), head_sha: first });
    expect((await begin({ body: 'first', position: root }, project.owner, first)).status).toBe(201);
  });

  it('[2/api.discussions/1] are dated by owners of the project and administrators; others write now', async () => {
    const created_at = '2020-02-03T04:05:06.789Z';
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    const dated = async (who: BuiltToken) => {
      const { body } = await begin({ body: 'then', created_at }, who);
      const reply = await project.api<NoteJson>('POST', `${at()}/discussions/${body.id}/notes`, {
        json: { body: 'so', created_at },
        token: who.secret,
      });
      return [body.notes[0]?.created_at === created_at, reply.body.created_at === created_at];
    };
    expect(await dated(admin)).toEqual([true, true]);
    expect(await dated(project.owner)).toEqual([true, true]);
    expect(await dated(reporter)).toEqual([false, false]);
    expect((await begin({ body: 'x', created_at: 'soon' })).body).toEqual({ error: 'created_at is invalid' });
  });

  it('security 17: those of another commit or project are not found', async () => {
    const { body } = await begin({ body: 'here' });
    const note = body.notes[0]?.id;
    const other = await fresh();
    const elsewhere = await buildRepositoryProject(app, { owner: project.owner });
    const { body: theirs } = await elsewhere.api<Json[]>('GET', '/repository/commits');
    for (const [of, commit] of [
      [project, other],
      [elsewhere, String(theirs[0]?.id)],
    ] as const) {
      const thread = `/repository/commits/${commit}/discussions/${body.id}`;
      expect((await of.api('GET', thread)).status).toBe(404);
      expect((await of.api('POST', `${thread}/notes`, { json: { body: 'x' } })).status).toBe(404);
      expect((await of.api('PUT', `${thread}/notes/${note}`, { json: { body: 'x' } })).status).toBe(404);
      expect((await of.api('DELETE', `${thread}/notes/${note}`)).status).toBe(404);
    }
    // The same commit in another project has comments of its own.
    expect((await elsewhere.api('GET', `${at()}/comments`)).status).toBe(404);
  });
});

describe('others hear of them', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
    await app.settings.write({ allow_local_requests_from_web_hooks_and_services: true });
  });
  afterAll(() => receiver.close());

  it('webhooks with note_events, when they are written and when they change', async () => {
    const hook = { url: `${receiver.url}/notes`, note_events: true, push_events: false };
    const { body: made } = await project.api('POST', '/hooks', { json: hook });
    const { body } = await begin({ body: 'hear!', position: lines(null, 2) }, reporter);
    const note = body.notes[0];
    const told = async (action: string) =>
      await eventually(action, async () =>
        receiver.received.find((each) => JSON.parse(each.text).object_attributes?.action === action),
      );
    const created = await told('create');
    expect(created.headers).toMatchObject({ 'x-gitlab-event': 'Note Hook' });
    expect(JSON.parse(created.text)).toMatchObject({
      object_kind: 'note',
      event_type: 'note',
      user: { id: reporter.user.id },
      project_id: project.id,
      project: { path_with_namespace: project.fullPath },
      repository: { name: expect.any(String) },
      object_attributes: {
        id: note?.id,
        note: 'hear!',
        noteable_type: 'Commit',
        noteable_id: null,
        commit_id: sha,
        type: 'DiffNote',
        discussion_id: body.id,
        line_code: expect.stringMatching(/_3_2$/),
        position: { new_line: 2 },
        system: false,
        author_id: reporter.user.id,
        created_at: expect.stringMatching(/ UTC$/),
        url: `${app.url}/${project.fullPath}/-/commit/${sha}#note_${note?.id}`,
      },
      commit: { id: sha, title: 'Second of all', author: { name: project.owner.user.name } },
    });
    const path = `${at()}/discussions/${body.id}/notes/${note?.id}`;
    await project.api('PUT', path, { json: { body: 'heard' } });
    expect(JSON.parse((await told('update')).text)).toMatchObject({
      user: { id: project.owner.user.id },
      object_attributes: { note: 'heard', author_id: reporter.user.id, updated_by_id: project.owner.user.id },
    });
    const tried = await project.api('POST', `/hooks/${made.id}/test/note_events`);
    expect(tried.status).toBe(201);
    await project.api('DELETE', `/hooks/${made.id}`);
  });

  it('what people did: commented on, for those who read the code', async () => {
    const { body } = await begin({ body: 'said here' }, reporter);
    const note = body.notes[0];
    const events = async (who: BuiltToken, query: Json = { target_type: 'note' }) =>
      (await app.api<Json[]>('GET', `/users/${reporter.user.id}/events`, { token: who.secret, query })).body;
    const mine = await eventually('the event', async () =>
      (await events(project.owner)).find(({ target_id }) => target_id === note?.id),
    );
    expect(mine).toMatchObject({
      action_name: 'commented on',
      target_type: 'DiscussionNote',
      target_iid: note?.id,
      target_title: 'Second of all',
      project_id: project.id,
      note: { id: note?.id, body: 'said here', noteable_type: 'Commit', commit_id: sha },
    });
    expect((await events(project.owner, { action: 'commented' }))[0]).toMatchObject({ target_id: note?.id });
    expect(await events(guest)).toEqual([]);
    expect(await events(stranger)).toEqual([]);
    await project.api('DELETE', `${at()}/discussions/${body.id}/notes/${note?.id}`);
    expect((await events(project.owner)).filter(({ target_id }) => target_id === note?.id)).toEqual([]);
  });
});

it('[1/limits.other-limits/7 notes_create_limit] so many a minute, but for those on the list', async () => {
  const chatty = await project.member(Level.reporter);
  const write = { notes_create_limit: 2, notes_create_limit_allowlist: [] as string[] };
  stopClock();
  await app.settings.write(write);
  const statuses = [];
  for (let number = 0; number < 3; number += 1) statuses.push((await say({ note: `${number}` }, chatty)).status);
  expect(statuses).toEqual([201, 201, 429]);
  expect((await begin({ body: 'x' }, chatty)).status).toBe(429);
  await app.settings.write({ ...write, notes_create_limit_allowlist: [chatty.user.username] });
  expect((await begin({ body: 'x' }, chatty)).status).toBe(201);
  await app.settings.write({ notes_create_limit: 0, notes_create_limit_allowlist: [] });
});

it('stay with the ghost when their author goes, or go along', async () => {
  const commit = await fresh();
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  for (const [hard_delete, left] of [
    [false, 1],
    [true, 0],
  ] as const) {
    const leaver = await project.member(Level.reporter);
    const { body } = await begin({ body: 'bye' }, leaver, commit);
    await app.api('DELETE', `/users/${leaver.user.id}`, { token: admin.secret, query: { hard_delete } });
    const found = await eventually('the removal', async () => {
      const user = await app.api('GET', `/users/${leaver.user.id}`, { token: admin.secret });
      return user.status === 404 && [await threads(commit)];
    });
    const own = (found[0] ?? []).filter(({ id }) => id === body.id);
    expect(own).toHaveLength(left);
    if (left) expect(own[0]?.notes[0]?.author).toMatchObject({ username: expect.stringMatching(/^ghost/) });
  }
});
