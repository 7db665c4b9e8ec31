/** Draft notes over HTTP: seen by their author alone, published one by one or all at once; and open threads that block a merge. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let author: BuiltToken;
let reviewer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\ntwo\nthree\n' } });
  author = await project.member(Level.developer);
  reviewer = await project.member(Level.developer);
});
afterAll(() => app.close());

async function open(on = project) {
  const branch = unique('work');
  const actions = [{ action: 'update' as const, file_path: 'a.txt', content: 'one\nTWO\nthree\n' }];
  await on.commit(branch, actions, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await on.api<Json & { id: number; diff_refs: Json }>('POST', '/merge_requests', { json });
  expect(made.status).toBe(201);
  const path = `/merge_requests/${made.body.iid}`;
  return {
    ...made.body,
    position: {
      ...made.body.diff_refs,
      position_type: 'text',
      old_path: 'a.txt',
      new_path: 'a.txt',
      new_line: 2,
    },
    call: <T = Json>(
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      target: string,
      body?: Json,
      who: BuiltToken | null = reviewer,
    ) => on.api<T>(method, `${path}${target}`, { token: who?.secret ?? null, ...(body ? { json: body } : {}) }),
  };
}
const drafts = '/draft_notes';

describe('draft notes', () => {
  it('[2/fields.draft-note/1 id, author_id, merge_request_id, resolve_discussion, discussion_id, note, commit_id, line_code, position, base_sha, start_sha, head_sha, old_path, new_path, position_type, old_line, new_line, line_range] [2/states.draft-note/1 draft, published as a regular note] [2/states.draft-note/1] [2/api.draft-notes/1 /projects/:id/merge_requests/:merge_request_iid/draft_notes, merge_request_iid] [2/api.draft-notes/2 GET, base] [2/api.draft-notes/2] [2/api.draft-notes/3 GET, base, /:draft_note_id] [2/api.draft-notes/4 POST, base, note, commit_id, in_reply_to_discussion_id, resolve_discussion] [2/api.draft-notes/5 PUT, base, /:draft_note_id, note] [2/api.draft-notes/6 DELETE, base, /:draft_note_id] [2/api.draft-notes/7 PUT, base, /:draft_note_id/publish] are written, changed, removed and published by their author, whom alone they are shown to', async () => {
    const request = await open();
    const made = await request.call('POST', drafts, { note: 'First' });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: made.body.id,
      author_id: reviewer.user.id,
      merge_request_id: request.id,
      resolve_discussion: false,
      discussion_id: null,
      note: 'First',
      commit_id: null,
      line_code: null,
      position: {
        base_sha: null,
        start_sha: null,
        head_sha: null,
        old_path: null,
        new_path: null,
        position_type: 'text',
        old_line: null,
        new_line: null,
        line_range: null,
      },
    });
    // Some clients send the word for what they do not have.
    const without = await request.call('POST', drafts, { note: 'x', commit_id: 'undefined' });
    expect(without).toMatchObject({ status: 201, body: { commit_id: null } });
    expect((await request.call('DELETE', `${drafts}/${without.body.id}`)).status).toBe(204);
    expect((await request.call('POST', drafts, { note: 'x', commit_id: 'null' })).status).toBe(400);
    const one = `${drafts}/${made.body.id}`;
    expect((await request.call('GET', one)).body).toEqual(made.body);
    expect((await request.call('GET', drafts)).body).toEqual([made.body]);
    expect((await request.call('PUT', one, { note: 'Changed' })).body).toMatchObject({ note: 'Changed' });
    // Nobody else knows of it: not the author of the request, nor the owner of the project.
    for (const who of [author, project.owner]) {
      expect((await request.call('GET', drafts, undefined, who)).body).toEqual([]);
      for (const [method, target, body] of [
        ['GET', one, undefined],
        ['PUT', one, { note: 'x' }],
        ['PUT', `${one}/publish`, undefined],
        ['DELETE', one, undefined],
      ] as const)
        expect((await request.call(method, target, body, who)).status).toBe(404);
    }
    expect((await request.call('GET', drafts, undefined, null)).status).toBe(401);
    expect((await request.call('GET', '/notes', undefined, author)).body).toEqual([]);

    expect((await request.call('PUT', `${one}/publish`)).status).toBe(204);
    expect((await request.call('PUT', `${one}/publish`)).status).toBe(404);
    expect((await request.call('GET', '/notes', undefined, author)).body).toMatchObject([
      { body: 'Changed', author: { id: reviewer.user.id }, type: null, system: false },
    ]);
    const gone = await request.call('POST', drafts, { note: 'Gone' });
    expect((await request.call('DELETE', `${drafts}/${gone.body.id}`)).status).toBe(204);
    expect((await request.call('DELETE', `${drafts}/${gone.body.id}`)).status).toBe(404);
    for (const [body, error] of [
      [{}, { error: 'note is missing' }],
      [{ note: ' ' }, { message: expect.stringContaining("can't be blank") }],
      [{ note: 'x', resolve_discussion: 'perhaps' }, { error: 'resolve_discussion is invalid' }],
    ] as const)
      expect(await request.call('POST', drafts, body)).toMatchObject({ status: 400, body: error });
    const refused = (reason: string) => ({ status: 400, body: { message: { base: [reason] } } });
    const unknown = { note: 'x', in_reply_to_discussion_id: 'f'.repeat(40) };
    expect(await request.call('POST', drafts, unknown)).toMatchObject(refused('Thread to reply to cannot be found'));
    const bystander = await project.member(Level.reporter);
    const thread = await request.call<Json & { id: string }>('POST', '/discussions', { body: 'Why?' }, author);
    const settling = { note: 'x', in_reply_to_discussion_id: thread.body.id, resolve_discussion: true };
    expect(await request.call('POST', drafts, settling, bystander)).toMatchObject(
      refused('User is not allowed to resolve thread'),
    );
  });

  it('[2/states.draft-note/2] [2/states.draft-note/2 draft, published] [2/api.draft-notes/8 POST, base, /bulk_publish] [2/api.draft-notes/9 position[base_sha], position[head_sha], position[start_sha], position[position_type], text, image, position[new_path], position[old_path], position, position[new_line], position[old_line], position[line_range], position[width], position[height], position[x], position[y]] stand on lines, reply and resolve; all of the caller are published together', async () => {
    const request = await open();
    const thread = await request.call<Json & { id: string }>('POST', '/discussions', { body: 'Why?' }, author);
    const placed = await request.call('POST', drafts, { note: 'Line', position: request.position });
    expect(placed.body).toMatchObject({
      line_code: expect.stringMatching(/^[0-9a-f]{40}_\d+_2$/),
      position: { ...request.position, old_line: null },
    });
    const reply = { note: 'Because', in_reply_to_discussion_id: thread.body.id, resolve_discussion: true };
    expect((await request.call('POST', drafts, reply)).body).toMatchObject({
      discussion_id: thread.body.id,
      resolve_discussion: true,
    });
    const image = {
      ...request.position,
      position_type: 'image',
      width: 10,
      height: 20,
      x: 1.5,
      y: 2.5,
      new_line: undefined,
    };
    expect((await request.call('POST', drafts, { note: 'Picture', position: image })).body).toMatchObject({
      position: { position_type: 'image', width: 10, height: 20, x: 1.5, y: 2.5 },
    });
    const moved = { ...request.position, new_line: undefined, old_line: 2 };
    const one = `${drafts}/${placed.body.id}`;
    expect((await request.call('PUT', one, { position: moved })).body).toMatchObject({
      note: 'Line',
      position: { old_line: 2, new_line: null },
    });
    await request.call('PUT', one, { position: request.position });
    const foreign = await request.call('POST', drafts, { note: 'Of somebody else' }, author);
    for (const position of [
      { ...request.position, new_line: 99 },
      { ...request.position, head_sha: 'f'.repeat(40) },
      { ...request.position, new_path: undefined },
      { ...request.position, position_type: undefined },
    ])
      expect((await request.call('POST', drafts, { note: 'x', position })).status).toBe(400);

    expect((await request.call('POST', `${drafts}/bulk_publish`)).status).toBe(204);
    expect((await request.call('GET', drafts)).body).toEqual([]);
    expect((await request.call('GET', drafts, undefined, author)).body).toEqual([foreign.body]);
    const shown = await request.call<Array<{ id: string; notes: Json[] }>>('GET', '/discussions', undefined, author);
    expect(shown.body.map(({ notes }) => notes.map(({ body, type }) => [body, type]))).toEqual([
      [
        ['Why?', 'DiscussionNote'],
        ['Because', 'DiscussionNote'],
      ],
      [['Line', 'DiffNote']],
      [['Picture', 'DiffNote']],
    ]);
    expect(shown.body[0]?.notes[0]).toMatchObject({ resolved: true, resolved_by: { id: reviewer.user.id } });
    expect(shown.body[1]?.notes[0]).toMatchObject({ position: { new_line: 2 }, resolved: false });
  });

  it('all are published, or none', async () => {
    const request = await open();
    const thread = await request.call<Json & { id: string; notes: Json[] }>(
      'POST',
      '/discussions',
      { body: 'x' },
      author,
    );
    await request.call('POST', drafts, { note: 'One' });
    await request.call('POST', drafts, { note: 'Reply', in_reply_to_discussion_id: thread.body.id });
    const removed = `/notes/${thread.body.notes[0]?.id}`;
    expect((await request.call('DELETE', removed, undefined, author)).status).toBe(204);
    expect((await request.call('POST', `${drafts}/bulk_publish`)).status).toBe(404);
    expect((await request.call<Json[]>('GET', drafts)).body.length).toBe(2);
    expect((await request.call('GET', '/notes')).body).toEqual([]);
  });

  it('quick actions in them are applied when they are published', async () => {
    const request = await open();
    const { title } = (await request.call('GET', '')).body;
    const bulk = await request.call('POST', drafts, { note: 'Better\n/title Renamed' });
    await request.call('POST', drafts, { note: '/estimate 2h' });
    const single = await request.call('POST', drafts, { note: `/assign @${author.user.username}` });
    const state = async () => (await request.call('GET', '')).body;
    expect(await state()).toMatchObject({ title, assignees: [] });
    expect((await request.call('PUT', `${drafts}/${single.body.id}/publish`)).status).toBe(204);
    expect(await state()).toMatchObject({ title, assignees: [{ id: author.user.id }] });
    expect(bulk.status).toBe(201);
    expect(
      (await request.call('POST', `${drafts}/bulk_publish`, { note: 'Done\n/due 2030-01-01\n/subscribe' })).status,
    ).toBe(204);
    expect(await state()).toMatchObject({ title: 'Renamed', time_stats: { time_estimate: 7200 }, subscribed: true });
    const notes = await request.call<{ body: string; system: boolean }[]>(
      'GET',
      '/notes?activity_filter=only_comments&sort=asc',
    );
    expect(notes.body.map(({ body }) => body)).toEqual(['Better', 'Done\n/due 2030-01-01']);
  });

  it('security 17: not by way of another merge request or project', async () => {
    const [one, two] = [await open(), await open()];
    const made = await one.call('POST', drafts, { note: 'x' });
    expect((await two.call('GET', `${drafts}/${made.body.id}`)).status).toBe(404);
    const stranger = await buildToken(app);
    expect((await one.call('POST', drafts, { note: 'x' }, stranger)).status).toBe(404);
    const thread = await two.call<Json & { id: string }>('POST', '/discussions', { body: 'x' });
    const reply = { note: 'x', in_reply_to_discussion_id: thread.body.id };
    expect((await one.call('POST', drafts, reply)).status).toBe(400);
  });
});

describe('only_allow_merge_if_all_discussions_are_resolved', () => {
  it('open threads keep a merge request open, by the project or a group above', async () => {
    const owner = await buildToken(app);
    const group = await buildGroup(app, { owner: owner.user });
    const below = await buildRepositoryProject(app, {
      owner,
      files: { 'a.txt': 'one\ntwo\nthree\n' },
      settings: { namespace_id: group.id },
    });
    const request = await open(below);
    const thread = await request.call<Json & { id: string }>('POST', '/discussions', { body: 'Why?' }, owner);
    const status = async () => (await request.call('GET', '', undefined, owner)).body;
    expect(await status()).toMatchObject({ detailed_merge_status: 'mergeable', user_notes_count: 1 });
    const rule = (on: boolean) => ({ only_allow_merge_if_all_discussions_are_resolved: on });
    const change = (target: string, json: Json) => app.api('PUT', target, { token: owner.secret, json });
    expect((await change(`/groups/${group.id}`, rule(true))).status).toBe(200);
    expect(await status()).toMatchObject({ detailed_merge_status: 'discussions_not_resolved' });
    expect((await request.call('PUT', '/merge', {}, owner)).status).toBe(405);
    expect((await change(`/groups/${group.id}`, rule(false))).status).toBe(200);
    expect(await status()).toMatchObject({ detailed_merge_status: 'mergeable' });
    expect((await change(`/projects/${below.id}`, rule(true))).status).toBe(200);
    expect(await status()).toMatchObject({
      detailed_merge_status: 'discussions_not_resolved',
      blocking_discussions_resolved: false,
    });
    expect((await request.call('PUT', `/discussions/${thread.body.id}`, { resolved: true }, owner)).status).toBe(200);
    expect(await status()).toMatchObject({ detailed_merge_status: 'mergeable', blocking_discussions_resolved: true });
    expect((await request.call('PUT', '/merge', {}, owner)).status).toBe(200);
  });
});
