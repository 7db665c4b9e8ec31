/** Events: what people do in projects becomes rows that exactly those see who may see what they are about. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildAdmin, buildMember, buildToken, buildUser } from '../../../../test/factories.ts';
import { gitClient } from '../../../../test/git.ts';
import { plansOf } from '../../../../test/plans.queries.ts';
import { whileRemoved } from '../../../../test/removals.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { insideDay } from '../../../../test/windows.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import { type EventRow, insertEvents, listEvents } from './events.queries.ts';

interface Seen extends Pick<EventRow, 'project_id' | 'target_iid' | 'target_title' | 'author_id'> {
  readonly action_name: string;
  readonly target_type: string | null;
  readonly author: { readonly username: string };
  readonly author_username: string;
  readonly created_at: string;
  readonly push_data?: Readonly<Record<string, unknown>>;
}

let app: TestApp;
let owner: BuiltToken;
let repository: RepositoryProject;
let projectId: number;
beforeAll(async () => {
  await insideDay();
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  repository = await buildRepositoryProject(app, { owner, settings: { visibility: 'private' }, files: { a: 'a' } });
  projectId = (await repository.row()).id;
  await repository.commit('change', { b: 'b' }, { start_branch: 'main' });
  const fields = { source_branch: 'change', target_branch: 'main', title: 'A change' };
  await repository.api('POST', '/merge_requests', { json: fields });
  for (const state_event of ['close', 'reopen'])
    await repository.api('PUT', '/merge_requests/1', { json: { state_event } });
  await repository.api('PUT', '/merge_requests/1/merge', { json: {} });
  await repository.api('POST', '/repository/tags', { json: { tag_name: 'v1', ref: 'main' } });
  await repository.api('DELETE', '/repository/tags/v1');
  await eventually('all events', async () => (await list('/events', owner, { per_page: 100 })).length >= 11);
});
afterAll(() => app.close());

async function list(path: string, who: BuiltToken | null, query: Record<string, unknown> = {}): Promise<Seen[]> {
  const { status, body } = await app.api<Seen[]>('GET', path, { query, ...(who ? { token: who.secret } : {}) });
  expect(status).toBe(200);
  return body;
}
const names = (events: readonly Seen[]) => events.map((event) => event.action_name);

describe('GET /events', () => {
  it('tells what the caller did, the newest first, in the words of the ecosystem', async () => {
    const events = await list('/events', owner, { per_page: 100 });
    expect(names(events)).toEqual([
      'deleted',
      'pushed new',
      'accepted',
      'deleted',
      'pushed to',
      'opened',
      'closed',
      'opened',
      'pushed new',
      'pushed new',
      'created',
    ]);
    const request = { target_type: 'MergeRequest', target_iid: 1, target_title: 'A change', project_id: projectId };
    expect(events[2]).toMatchObject({ ...request, author_username: owner.user.username, author_id: owner.user.id });
    expect(events[2]).not.toHaveProperty('push_data');
    expect(events.at(-1)).toMatchObject({ target_type: null, target_iid: null, target_title: null });
    expect((await list('/events', owner, { sort: 'asc', per_page: 1 }))[0]?.action_name).toBe('created');
  });

  it('tells of pages of the wiki, to who reads it', async () => {
    const page = { title: 'Home page', content: 'x' };
    await repository.api('POST', '/wikis', { json: page });
    await repository.api('PUT', '/wikis/Home-page', { json: { content: 'y' } });
    await repository.api('DELETE', '/wikis/Home-page');
    const ofWiki = () => list('/events', owner, { target_type: 'wiki' });
    await eventually('events of the wiki', async () => (await ofWiki()).length === 3);
    expect(names(await ofWiki())).toEqual(['destroyed', 'updated', 'created']);
    expect((await ofWiki())[0]).toMatchObject({
      target_type: 'WikiPage::Meta',
      target_title: 'Home page',
      wiki_page: { slug: 'Home-page', title: 'Home page', wiki_page_meta_id: expect.any(Number) },
    });
    await repository.api('PUT', '', { json: { wiki_access_level: 'disabled' } });
    expect(await ofWiki()).toEqual([]);
    await app.db.deleteFrom('events').where('target_type', '=', 'wiki_page').execute();
  });

  it('tells of pushes which commits they brought', async () => {
    const [removed, tag] = await list('/events', owner, { action: 'pushed' });
    const change = (await list('/events', owner, { action: 'pushed', per_page: 100 })).find(
      ({ push_data }) => push_data?.ref === 'change' && push_data.action === 'created',
    );
    expect(change?.push_data).toMatchObject({
      action: 'created',
      ref_type: 'branch',
      commit_count: 1,
      commit_from: null,
      commit_to: expect.stringMatching(/^[0-9a-f]{40}$/),
      commit_title: expect.any(String),
      ref_count: null,
    });
    expect(tag?.push_data).toMatchObject({ action: 'created', ref_type: 'tag', ref: 'v1', commit_count: 1 });
    expect(removed?.push_data).toMatchObject({ action: 'removed', commit_to: null, commit_count: 0 });
  });

  it('tells of a push of many branches or tags once (push_event_activities_limit)', async () => {
    const git = await gitClient();
    const somebody = await buildToken(app);
    const own = await buildRepositoryProject(app, { owner: somebody, files: { a: 'a' } });
    const settled = async (count: number) => {
      await app.delivery.drain();
      const events = (await list('/events', somebody, { action: 'pushed', per_page: 100 })).slice(0, count);
      return events.map(({ action_name, push_data }) => ({ action_name, push_data }));
    };
    try {
      await git.run(['clone', '-q', own.remote(somebody.secret), 'clone']);
      const push = (refs: readonly string[]) => git.run(['push', '-q', 'origin', ...refs], 'clone');
      const heads = ['a', 'b', 'c', 'd'].map((name) => `HEAD:refs/heads/many-${name}`);
      const data = { commit_from: null, commit_to: null, commit_title: null, commit_count: 0, ref: null };
      await push([...heads, 'HEAD:refs/tags/one']);
      const [tag, branches, ...before] = await settled(100);
      expect(before).toHaveLength(1);
      expect(tag).toMatchObject({ push_data: { ref: 'one', ref_type: 'tag', ref_count: null } });
      expect(branches).toEqual({
        action_name: 'pushed new',
        push_data: { ...data, action: 'created', ref_type: 'branch', ref_count: 4 },
      });
      await push(['a', 'b', 'c'].map((name) => `:refs/heads/many-${name}`));
      expect((await settled(3)).map(({ push_data }) => push_data)).toMatchObject(
        ['c', 'b', 'a'].map((name) => ({ action: 'removed', ref: `many-${name}`, ref_count: null })),
      );
      await app.settings.write({ push_event_activities_limit: 2 });
      await push(['1', '2', '3'].map((name) => `HEAD:refs/tags/t${name}`));
      expect(await settled(1)).toEqual([
        { action_name: 'pushed new', push_data: { ...data, action: 'created', ref_type: 'tag', ref_count: 3 } },
      ]);
      expect(await settled(100)).toHaveLength(7);
    } finally {
      await app.settings.write({ push_event_activities_limit: 3 });
      await git.close();
    }
  });

  it('takes action, target_type, before and after', async () => {
    expect(names(await list('/events', owner, { action: 'merged' }))).toEqual(['accepted']);
    expect(names(await list('/events', owner, { target_type: 'merge_request', action: 'created' }))).toEqual([
      'opened',
    ]);
    expect(await list('/events', owner, { target_type: 'issue' })).toEqual([]);
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    expect(await list('/events', owner, { before: day(0) })).toEqual([]);
    expect(await list('/events', owner, { after: day(0) })).toEqual([]);
    expect(await list('/events', owner, { after: day(-1), before: day(1), per_page: 100 })).toHaveLength(11);
    for (const query of [{ action: 'danced' }, { target_type: 'moon' }, { before: 'soon' }, { sort: 'up' }])
      expect((await app.api('GET', '/events', { token: owner.secret, query })).status).toBe(400);
  });

  it('asks for a caller, and a scope that reads users', async () => {
    expect((await app.api('GET', '/events')).status).toBe(401);
    const reader = await buildToken(app, { user: owner.user, scopes: ['read_user'] });
    expect(await list('/events', reader, { action: 'merged' })).toHaveLength(1);
    const git = await buildToken(app, { user: owner.user, scopes: ['read_repository'] });
    expect((await app.api('GET', '/events', { token: git.secret })).status).toBe(403);
  });

  it('scope=all: of everybody, in projects of which the caller is a member', async () => {
    const member = await buildToken(app);
    expect(await list('/events', member, { scope: 'all' })).toEqual([]);
    await repository.api('POST', '/members', { json: { user_id: member.user.id, access_level: Level.reporter } });
    await expect.poll(async () => names(await list('/events', member))).toEqual(['joined']);
    expect(await list('/events', member, { scope: 'all', per_page: 100 })).toHaveLength(12);
    await repository.api('DELETE', `/members/${member.user.id}`);
    await expect.poll(async () => names(await list(`/projects/${projectId}/events`, owner))).toContain('left');
    expect(await list('/events', member, { scope: 'all' })).toEqual([]);
    // What they did where they see nothing any more is hidden from themselves too.
    expect(await list('/events', member)).toEqual([]);
  });
});

describe('GET /users/:id/events', () => {
  it('shows only what the caller may see of each project', async () => {
    const path = `/users/${owner.user.id}/events`;
    const stranger = await buildToken(app);
    expect(await list(path, stranger)).toEqual([]);
    expect(await list(path, null)).toEqual([]);
    const guest = await buildToken(app);
    await buildMember(app, { user: guest.user, of: await repository.row(), level: Level.guest });
    expect(names(await list(path, guest, { per_page: 100 }))).toEqual(['created']);
    const reporter = await buildToken(app);
    await buildMember(app, { user: reporter.user, of: await repository.row(), level: Level.reporter });
    expect(await list(path, reporter, { per_page: 100 })).toHaveLength(11);
    expect(await list(`/users/${owner.user.username}/events`, reporter, { per_page: 100 })).toHaveLength(11);
    const admin = await buildToken(app, { user: await buildAdmin(app) });
    expect(await list(path, admin, { per_page: 100 })).toHaveLength(11);
  });

  it('shows what is public to everybody, but not the parts that are kept for members', async () => {
    const other = await buildToken(app);
    const open = await buildRepositoryProject(app, {
      owner: other,
      settings: { visibility: 'public' },
      files: { a: 'a' },
    });
    const path = `/users/${other.user.id}/events`;
    await expect.poll(async () => names(await list(path, null))).toEqual(['pushed new', 'created']);
    await open.api('PUT', '', { json: { repository_access_level: 'private' } });
    expect(names(await list(path, null))).toEqual(['created']);
    await app.db.updateTable('users').set({ private_profile: true }).where('id', '=', other.user.id).execute();
    expect(await list(path, null)).toEqual([]);
    expect(names(await list(path, other))).toEqual(['pushed new', 'created']);
  });

  it('404 for nobody', async () => {
    expect((await app.api('GET', '/users/123456789/events')).status).toBe(404);
  });
});

describe('GET /projects/:id/events', () => {
  it('shows what happened there to whoever sees it', async () => {
    const path = `/projects/${projectId}/events`;
    const stranger = await buildUser(app);
    expect((await app.api('GET', path)).status).toBe(404);
    expect((await app.api('GET', path, { token: (await buildToken(app, { user: stranger })).secret })).status).toBe(
      404,
    );
    expect(names(await list(path, owner, { action: 'merged' }))).toEqual(['accepted']);
    expect((await app.api('GET', path, { token: owner.secret, query: { action: 'x' } })).status).toBe(400);
  });

  it('an event goes with its merge request', async () => {
    expect((await repository.api('DELETE', '/merge_requests/1')).status).toBe(204);
    expect(await list('/events', owner, { target_type: 'merge_request' })).toEqual([]);
  });
});

it('a fact that is delivered twice leaves one event', async () => {
  const before = await list('/events', owner, { per_page: 100 });
  await app.db.updateTable('facts').set({ delivered_at: null }).where('actor_id', '=', owner.user.id).execute();
  await app.delivery.drain();
  expect(await list('/events', owner, { per_page: 100 })).toEqual(before);
});

it('old events are removed', async () => {
  const made = await app.db
    .insertInto('events')
    .values({ project_id: projectId, author_id: owner.user.id, action: 'created', created_at: new Date('2015-01-01') })
    .returning('id')
    .executeTakeFirstOrThrow();
  await runTask(app, 'events.sweep');
  const left = app.db.selectFrom('events').select('id').where('id', '=', made.id).execute();
  expect(await left).toEqual([]);
  expect((await list('/events', owner)).length).toBeGreaterThan(0);
});

const page = { limit: 21, offset: 0 };
it.each([
  ['events_author', {}],
  ['events_author_action', { action: 'merged' }],
  ['events_author_target', { target_type: 'merge_request' }],
] as const)('%s serves its list', async (index, filter) => {
  const plans = await plansOf(app.database, (db) => listEvents(db, anonymous, { authorId: 1 }, filter, page));
  expect(plans.join('\n')).toContain(`${index} `);
});

it('of a milestone that is removed at the same time there is no event', async () => {
  const { body } = await repository.api<{ id: number }>('POST', '/milestones', { json: { title: 'Short-lived' } });
  const event = {
    project_id: projectId,
    author_id: owner.user.id,
    action: 'created',
    target_type: 'milestone',
  } as const;
  await whileRemoved(app, 'milestones', body.id, () => insertEvents(app.db, [{ ...event, milestone_id: body.id }]));
  const rows = await app.db.selectFrom('events').select('id').where('milestone_id', '=', body.id).execute();
  expect(rows).toEqual([]);
});
