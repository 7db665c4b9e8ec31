/** What people do with merge requests besides commenting: reactions, subscriptions, to-dos; and the history that changes leave. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Found extends Json {
  readonly id: number;
}

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
let reporter: BuiltToken;
let guest: BuiltToken;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  developer = await project.member(Level.developer);
  reporter = await project.member(Level.reporter);
  guest = await project.member(Level.guest);
  stranger = await buildToken(app);
});
afterAll(() => app.close());

const as = (who: BuiltToken) => ({ token: who.secret });
async function request(json: Json = {}, author = developer) {
  const branch = unique('topic');
  await project.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: 'main' });
  const made = await project.api<Found & { iid: number }>('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: `Change ${branch}`, ...json },
    ...as(author),
  });
  expect(made.status).toBe(201);
  return { ...made.body, path: `/merge_requests/${made.body.iid}`, title: `Change ${branch}` };
}
const todos = async (who: BuiltToken, query: Json = {}) =>
  (await app.api<(Found & { target: Found })[]>('GET', '/todos', { query, ...as(who) })).body;
const about = async (who: BuiltToken, id: number, query: Json = {}) =>
  (await todos(who, query)).filter(({ target }) => target.id === id);

describe('reactions', () => {
  it('are given, listed, counted and taken back, on merge requests and their comments', async () => {
    const { path, id } = await request();
    const { body: note } = await project.api<Found>('POST', `${path}/notes`, { json: { body: 'so' } });
    for (const [on, awardable_id, awardable_type] of [
      [path, id, 'MergeRequest'],
      [`${path}/notes/${note.id}`, note.id, 'Note'],
    ] as const) {
      const made = await project.api<Found>('POST', `${on}/award_emoji`, {
        json: { name: 'thumbsup' },
        ...as(reporter),
      });
      expect([made.status, made.body]).toEqual([
        201,
        {
          id: expect.any(Number),
          name: 'thumbsup',
          user: expect.objectContaining({ id: reporter.user.id }),
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          awardable_id,
          awardable_type,
          url: null,
        },
      ]);
      const again = await project.api('POST', `${on}/award_emoji`, { json: { name: '+1' }, ...as(reporter) });
      expect([again.status, again.body]).toEqual([
        404,
        { message: '404 Award Emoji Name has already been taken Not Found' },
      ]);
      await project.api('POST', `${on}/award_emoji`, { json: { name: 'thumbsdown' }, ...as(developer) });
      const list = await project.api<Found[]>('GET', `${on}/award_emoji`);
      expect(list.body.map(({ name }) => name)).toEqual(['thumbsup', 'thumbsdown']);
      expect((await project.api('GET', `${on}/award_emoji/${made.body.id}`)).body).toEqual(made.body);
      const shown = await project.api('GET', path);
      if (awardable_type === 'MergeRequest') expect(shown.body).toMatchObject({ upvotes: 1, downvotes: 1 });
      const take = (who: BuiltToken) => project.api('DELETE', `${on}/award_emoji/${made.body.id}`, as(who));
      expect([(await take(developer)).status, (await take(reporter)).status, (await take(reporter)).status]).toEqual([
        401, 204, 404,
      ]);
    }
    // Those of the comment are not those of the merge request.
    expect((await project.api('GET', path)).body).toMatchObject({ upvotes: 0, downvotes: 1 });
    expect((await project.api('POST', `${path}/award_emoji`, { json: {} })).body).toEqual({ error: 'name is missing' });
    expect((await project.api('POST', `${path}/award_emoji`, { json: { name: 'a b' } })).status).toBe(400);
    for (const [name, kept] of [
      ['satisfied', 'laughing'],
      ['slightly_smiling_face', 'slight_smile'],
      ['wave_tone2', 'wave_tone2'],
    ])
      expect((await project.api('POST', `${path}/award_emoji`, { json: { name } })).body).toMatchObject({ name: kept });
    for (const name of ['no_such_emoji', 'rocket_tone2', 'constructor']) {
      const unknown = await project.api('POST', `${path}/award_emoji`, { json: { name } });
      expect([unknown.status, unknown.body]).toEqual([
        404,
        { message: '404 Award Emoji Name is not a valid emoji name Not Found' },
      ]);
    }
    const summary = ['Could not apply award command.'];
    const reacted = await project.api('POST', `${path}/notes`, { json: { body: '/award :no_such_emoji:' } });
    expect([reacted.status, reacted.body]).toEqual([202, { commands_changes: {}, summary }]);
    expect((await project.api('POST', `${path}/award_emoji`, { json: { name: 'star' }, ...as(guest) })).status).toBe(
      403,
    );
    expect((await project.api('GET', `${path}/award_emoji`, as(stranger))).status).toBe(404);
  });
});

describe('subscriptions', () => {
  it('are there for those who take part, and as people say', async () => {
    const { path, id } = await request({ reviewer_ids: [reporter.user.id] });
    const subscribed = async (who: BuiltToken) => (await project.api('GET', path, as(who))).body.subscribed;
    const say = async (word: string, who: BuiltToken) => await project.api('POST', `${path}/${word}`, as(who));
    expect([await subscribed(developer), await subscribed(reporter), await subscribed(project.owner)]).toEqual([
      true,
      true,
      false,
    ]);
    expect((await say('subscribe', developer)).status).toBe(304);
    const made = await say('subscribe', project.owner);
    expect([made.status, made.body]).toMatchObject([201, { id, subscribed: true }]);
    expect((await say('subscribe', project.owner)).status).toBe(304);
    const left = await say('unsubscribe', reporter);
    expect([left.status, left.body]).toMatchObject([201, { subscribed: false }]);
    expect((await say('unsubscribe', reporter)).status).toBe(304);
    expect(await subscribed(reporter)).toBe(false);
    const maintainer = await project.member(Level.maintainer);
    await project.api('POST', `${path}/notes`, { json: { body: 'here' }, ...as(maintainer) });
    expect(await subscribed(maintainer)).toBe(true);
    expect((await say('subscribe', guest)).status).toBe(403);
    expect((await say('subscribe', stranger)).status).toBe(404);
  });
});

describe('to-dos', () => {
  it('[2/fields.to-do-item/1] are made by those who mark something, once', async () => {
    const { path, id, title, iid } = await request();
    const made = await project.api<Found>('POST', `${path}/todo`, as(reporter));
    const row = await project.row();
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        project: {
          id: project.id,
          name: row.name,
          name_with_namespace: expect.stringContaining(` / ${row.name}`),
          path: row.path,
          path_with_namespace: project.fullPath,
        },
        author: expect.objectContaining({ id: reporter.user.id }),
        action_name: 'marked',
        target_type: 'MergeRequest',
        target: expect.objectContaining({ id, iid, title }),
        target_url: `${app.url}/${project.fullPath}/-/merge_requests/${iid}`,
        body: title,
        state: 'pending',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await project.api('POST', `${path}/todo`, as(reporter))).status).toBe(304);
    expect(await about(reporter, id)).toEqual([made.body]);
    expect(await about(developer, id)).toEqual([]);
    expect((await app.api('POST', `/todos/${made.body.id}/mark_as_done`, as(developer))).status).toBe(404);
    const done = await app.api('POST', `/todos/${made.body.id}/mark_as_done`, as(reporter));
    expect([done.status, done.body]).toMatchObject([201, { id: made.body.id, state: 'done' }]);
    expect(await about(reporter, id)).toEqual([]);
    expect(await about(reporter, id, { state: 'done' })).toHaveLength(1);
    // What is done can be marked again.
    expect((await project.api('POST', `${path}/todo`, as(reporter))).status).toBe(201);
    expect((await app.api('POST', '/todos/mark_as_done', as(reporter))).status).toBe(204);
    expect(await todos(reporter)).toEqual([]);
  });

  it('are made for those who are assigned, asked to review or named, who may see it', async () => {
    const { path, id } = await request({ assignee_ids: [reporter.user.id], reviewer_ids: [project.owner.user.id] });
    expect(await about(reporter, id)).toMatchObject([{ action_name: 'assigned', author: { id: developer.user.id } }]);
    expect(await about(project.owner, id)).toMatchObject([{ action_name: 'review_requested' }]);
    const planner = await project.member(Level.reporter);
    const named = [planner, guest, stranger].map(({ user }) => `@${user.username}`).join(' ');
    const body = `${named} and @${developer.user.username}, see \`@${project.owner.user.username}\``;
    const { body: note } = await project.api<Found>('POST', `${path}/notes`, { json: { body }, ...as(developer) });
    expect(await about(planner, id)).toMatchObject([
      { action_name: 'mentioned', body, target_url: expect.stringMatching(new RegExp(`#note_${note.id}$`)) },
    ]);
    for (const who of [guest, stranger, developer]) expect(await about(who, id)).toEqual([]);
    // Who comments has acted; who closes as well.
    await project.api('POST', `${path}/notes`, { json: { body: 'yes' }, ...as(reporter) });
    expect(await about(reporter, id)).toEqual([]);
    await project.api('PUT', path, { json: { state_event: 'close' } });
    expect(await about(project.owner, id)).toEqual([]);
    expect(await about(planner, id)).toHaveLength(1);
    // Not for those who lost sight of it; gone with the merge request.
    await app.api('DELETE', `/projects/${project.id}/members/${planner.user.id}`, as(project.owner));
    expect(await todos(planner)).toEqual([]);
    await project.api('DELETE', path);
    const left = app.db.selectFrom('todos').select('id').where('noteable_id', '=', id);
    expect(await left.where('noteable_type', '=', 'merge_request').execute()).toEqual([]);
  });

  it('internal comments name only those who read them', async () => {
    await project.api('PUT', '', { json: { visibility: 'public' } });
    const { path, id } = await request();
    const body = `@${guest.user.username} @${reporter.user.username}`;
    await project.api('POST', `${path}/notes`, { json: { body, internal: true }, ...as(developer) });
    expect([(await about(guest, id)).length, (await about(reporter, id)).length]).toEqual([0, 1]);
    await project.api('PUT', '', { json: { visibility: 'private' } });
  });

  it('are filtered by action, author, project, group, state and type', async () => {
    const who = await project.member(Level.reporter);
    const { id } = await request({ assignee_ids: [who.user.id] });
    const ids = async (query: Json) => (await todos(who, query)).map(({ target }) => target.id);
    const row = await project.row();
    for (const [query, found] of [
      [{ action: 'assigned' }, true],
      [{ action: 'mentioned' }, false],
      [{ author_id: developer.user.id }, true],
      [{ author_id: who.user.id }, false],
      [{ project_id: project.id }, true],
      [{ project_id: project.id + 1000 }, false],
      [{ group_id: row.namespace_id }, true],
      [{ group_id: row.namespace_id + 1000 }, false],
      [{ state: 'done' }, false],
      [{ type: 'MergeRequest' }, true],
      [{ type: 'Issue' }, false],
      [{ type: 'AlertManagement::Alert' }, false],
    ] as const)
      expect([query, await ids(query)]).toEqual([query, found ? [id] : []]);
    expect((await app.api('GET', '/todos', { query: { action: 'x' }, ...as(who) })).body).toEqual({
      error: 'action does not have a valid value',
    });
    expect((await app.api('GET', '/todos')).status).toBe(401);
  });
});

describe('history', () => {
  it('has an event for each label, milestone and state that changed', async () => {
    const { body: milestone } = await project.api<Found>('POST', '/milestones', { json: { title: unique('m') } });
    const { path, id } = await request({ labels: 'bug', milestone_id: milestone.id });
    await project.api('PUT', path, { json: { add_labels: 'fix', remove_labels: 'bug', milestone_id: 0 } });
    await project.api('PUT', path, { json: { state_event: 'close' } });
    await project.api('PUT', path, { json: { state_event: 'reopen' } });
    const events = async (kind: string) =>
      (await project.api<Found[]>('GET', `${path}/resource_${kind}_events`, as(reporter))).body;
    const common = { resource_type: 'MergeRequest', resource_id: id, created_at: expect.stringMatching(/Z$/) };
    expect(await events('label')).toMatchObject([
      { ...common, user: { id: developer.user.id }, label: { name: 'bug' }, action: 'add' },
      { ...common, user: { id: project.owner.user.id }, label: { name: 'fix' }, action: 'add' },
      { ...common, label: { name: 'bug' }, action: 'remove' },
    ]);
    expect(await events('milestone')).toMatchObject([
      { ...common, milestone: { id: milestone.id }, action: 'add' },
      { ...common, milestone: { id: milestone.id }, action: 'remove' },
    ]);
    const states = await events('state');
    expect(states.map(({ state }) => state)).toEqual(['closed', 'reopened']);
    for (const kind of ['label', 'milestone', 'state']) {
      const [first] = await events(kind);
      expect((await project.api('GET', `${path}/resource_${kind}_events/${first?.id}`)).body).toEqual(first);
      const other = await request();
      const url = `${other.path}/resource_${kind}_events`;
      expect((await project.api('GET', `${url}/${first?.id}`)).status).toBe(404);
      expect((await project.api('GET', `${path}/resource_${kind}_events`, as(stranger))).status).toBe(404);
    }
  });
});
