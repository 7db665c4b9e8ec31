/** Milestones of groups and projects: one store, two places. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { milestoneExpired } from './milestones.entity.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let developer: BuiltToken;
let planner: BuiltToken;
let guest: BuiltToken;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  [developer, planner, guest] = [await buildToken(app), await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());

const call = callsOf(() => app);
const titles = async (path: string, query: object = {}, token: BuiltToken | null = owner) =>
  (await call<Json[]>('GET', path, token ?? undefined, undefined, query)).body.map(({ title }) => title);

async function groupOf(visibility: 'private' | 'public') {
  const group = await buildGroup(app, { owner: owner.user, visibility });
  await buildMember(app, { user: developer.user, of: group, level: Level.developer });
  await buildMember(app, { user: planner.user, of: group, level: Level.planner });
  await buildMember(app, { user: guest.user, of: group, level: Level.guest });
  return group;
}
const missing = { status: 404, body: { message: '404 Not found' } };

describe.each(['groups', 'projects'] as const)('milestones of %s', (kind) => {
  const place = async (visibility: 'private' | 'public' = 'private') => {
    const group = await groupOf(visibility);
    if (kind === 'groups') return { id: group.id, path: `/groups/${group.id}/milestones`, url: group.full_path };
    const project = await buildProject(app, { namespace: group, visibility });
    return { id: project.id, path: `/projects/${project.id}/milestones`, url: `${group.full_path}/${project.path}` };
  };
  const first = { title: 'v1.0', description: 'First *stable*', start_date: '2026-01-02', due_date: '2030-02-01' };

  it('[3/api.group-milestones/1] [3/api.group-milestones/3 GET, /:milestone_id] [3/api.group-milestones/4 POST, title, description, due_date, start_date] [3/fields.group-or-project-milestone/1 id, iid, group_id, title, description, due_date, start_date, state, active, updated_at, created_at, expired, web_url] are made and read', async () => {
    const { path, id, url } = await place();
    const made = await call('POST', path, planner, { ...first, title: ' v1.0 ' });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.any(Number),
      iid: 1,
      ...(kind === 'groups' ? { group_id: id } : { project_id: id }),
      ...first,
      state: 'active',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      expired: false,
      web_url: `${app.url}/${kind === 'groups' ? 'groups/' : ''}${url}/-/milestones/1`,
    });
    expect((await call('GET', `${path}/${made.body.id}`, guest)).body).toEqual(made.body);
    const second = await call('POST', path, planner, { title: 'v2.0' });
    expect(second.body).toMatchObject({ iid: 2, description: null, start_date: null, due_date: null, expired: false });
    await call('DELETE', `${path}/${second.body.id}`, developer);
    expect((await call('POST', path, planner, { title: 'v3.0' })).body.iid).toBe(3);
    const other = await place();
    expect(await call('GET', `${other.path}/${made.body.id}`, owner)).toMatchObject(missing);
  });

  it('[3/api.group-milestones/5 PUT, /:milestone_id, title, description, due_date, start_date, state_event, close, activate] [3/states.milestone-state/1 active, state_event=close] [3/states.milestone-state/2 closed, state_event=activate] [3/fields.group-or-project-milestone/1 closed, expired] are changed, closed and opened again', async () => {
    const { path } = await place();
    const one = `${path}/${(await call('POST', path, planner, first)).body.id}`;
    const changed = await call('PUT', one, planner, { title: 'v1.1', description: '', due_date: null });
    expect(changed).toMatchObject({ status: 200, body: { title: 'v1.1', description: '', due_date: null } });
    expect(changed.body.start_date).toBe(first.start_date);
    expect((await call('PUT', one, planner, { start_date: null, due_date: '2020-01-01' })).body).toMatchObject({
      start_date: null,
      due_date: '2020-01-01',
      expired: true,
    });
    for (const [state_event, state] of [
      ['close', 'closed'],
      ['close', 'closed'],
      ['activate', 'active'],
    ])
      expect((await call('PUT', one, planner, { state_event })).body.state).toBe(state);
    expect((await call('PUT', one, planner, { state_event: 'open' })).status).toBe(400);
    expect((await call('PUT', one, planner, {})).status).toBe(400);
    expect((await call('PUT', one, planner, { title: ' ' })).body).toEqual({
      message: 'Failed to update milestone {:title=>["can\'t be blank"]}',
    });
  });

  it('have one meaning each, and end after they begin', async () => {
    const { path } = await place();
    await call('POST', path, planner, first);
    const other = await call('POST', path, planner, { title: 'other', start_date: '2026-01-10' });
    const refused = (what: string, reason: string) => ({
      status: 400,
      body: { message: `Failed to ${what} milestone {:${reason}}` },
    });
    const taken = 'title=>["already being used for another group or project milestone."]';
    expect(await call('POST', path, planner, first)).toMatchObject(refused('create', taken));
    const renamed = await call('PUT', `${path}/${other.body.id}`, planner, { title: 'v1.0' });
    expect(renamed).toMatchObject(refused('update', taken));
    const late = 'due_date=>["must be greater than start date"]';
    const moved = await call('PUT', `${path}/${other.body.id}`, planner, { due_date: '2026-01-10' });
    expect(moved).toMatchObject(refused('update', late));
    const both = { title: 'x', start_date: '2026-01-10', due_date: '2026-01-09' };
    expect(await call('POST', path, planner, both)).toMatchObject(refused('create', late));
    expect((await call('POST', path, planner, { title: 'x', due_date: '2026-02-30' })).status).toBe(400);
    expect((await call('POST', path, planner, {})).body).toEqual({ error: 'title is missing' });
    expect((await call('POST', path, planner, { title: 'x'.repeat(256) })).status).toBe(400);
  });

  it('[3/api.group-milestones/2 GET, iids[], include_parent_milestones, state, active, closed, title, search, updated_before, updated_after] are listed by what is due first, each filter narrows', async () => {
    const { path } = await place('public');
    const made: Json[] = [];
    for (const values of [
      { title: 'No day 1', description: 'about soup' },
      { title: 'Spring 17.4', start_date: '2026-03-01', due_date: '2026-05-31' },
      { title: 'Winter 17.3', description: 'SOUP again', due_date: '2026-02-28' },
      { title: 'Open end', start_date: '2026-06-01' },
    ])
      made.push((await call('POST', path, planner, values)).body);
    await call('PUT', `${path}/${made[2]?.id}`, planner, { state_event: 'close' });
    expect(await titles(path, {}, null)).toEqual(['Winter 17.3', 'Spring 17.4', 'Open end', 'No day 1']);
    expect(await titles(path, { state: 'active' })).toEqual(['Spring 17.4', 'Open end', 'No day 1']);
    expect(await titles(path, { state: 'closed' })).toEqual(['Winter 17.3']);
    expect(await titles(path, { state: 'all' })).toHaveLength(4);
    expect(await titles(path, { iids: [2] })).toEqual(['Spring 17.4']);
    expect(await titles(path, { iids: [2], include_ancestors: true })).toHaveLength(4);
    expect(await titles(path, { iids: [2], include_parent_milestones: true })).toHaveLength(4);
    expect(await titles(path, { title: 'Open end' })).toEqual(['Open end']);
    expect(await titles(path, { title: 'open' })).toEqual([]);
    for (const empty of ['title', 'search', 'iids'])
      expect([empty, await titles(path, { [empty]: '' })]).toEqual([empty, await titles(path)]);
    expect(await titles(path, { search: 'soup' })).toEqual(['Winter 17.3', 'No day 1']);
    expect(await titles(path, { search_title: 'soup' })).toEqual([]);
    expect(await titles(path, { search_title: '17. spring' })).toEqual(['Spring 17.4']);
    expect(await titles(path, { containing_date: '2026-02-15' })).toEqual(['Winter 17.3']);
    expect(await titles(path, { containing_date: '2026-07-01T08:00:00Z' })).toEqual(['Open end']);
    expect(await titles(path, { start_date: '2026-05-01', end_date: '2026-06-01' })).toEqual([
      'Spring 17.4',
      'Open end',
    ]);
    expect((await call('GET', path, owner, undefined, { start_date: '2026-05-01' })).status).toBe(400);
    const row = { updated_at: new Date('2020-01-01') };
    await app.db.updateTable('milestones').set(row).where('id', '=', Number(made[0]?.id)).execute();
    expect(await titles(path, { updated_before: '2021-01-01T00:00:00Z' })).toEqual(['No day 1']);
    expect(await titles(path, { updated_after: '2021-01-01T00:00:00Z' })).not.toContain('No day 1');
    const paged = await call<Json[]>('GET', path, owner, undefined, { per_page: 1, page: 2 });
    expect([paged.body[0]?.title, paged.headers.get('x-total')]).toEqual(['Spring 17.4', '4']);
  });

  it('[3/api.group-milestones/6 DELETE, /:milestone_id] are made by planners; those of groups are removed by developers', async () => {
    const { path } = await place('public');
    const made = await call('POST', path, planner, first);
    for (const [token, status] of [
      [undefined, 401],
      [await buildToken(app), 403],
      [guest, 403],
    ] as const) {
      expect((await call('POST', path, token, { title: 'x' })).status).toBe(status);
      expect((await call('PUT', `${path}/${made.body.id}`, token, { title: 'x' })).status).toBe(status);
      expect((await call('DELETE', `${path}/${made.body.id}`, token)).status).toBe(status);
    }
    const least = kind === 'groups' ? developer : planner;
    if (kind === 'groups') expect((await call('DELETE', `${path}/${made.body.id}`, planner)).status).toBe(403);
    expect((await call('DELETE', `${path}/${made.body.id}`, least)).status).toBe(204);
    expect(await call('GET', `${path}/${made.body.id}`, planner)).toMatchObject(missing);
    const hidden = await place();
    expect((await call('GET', hidden.path)).status).toBe(404);
    expect((await call('GET', hidden.path, await buildToken(app))).status).toBe(404);
  });

  it('tell hooks when they are made, closed, opened and removed', async () => {
    const { path, id } = await place();
    const table = app.db.selectFrom('facts').select(['kind', 'payload', 'actor_id']);
    const column = kind === 'groups' ? ('namespace_id' as const) : ('project_id' as const);
    const one = `${path}/${(await call('POST', path, planner, first)).body.id}`;
    for (const json of [{ description: 'x' }, { state_event: 'close' }, { state_event: 'activate' }])
      await call('PUT', one, planner, json);
    await call('DELETE', one, developer);
    const facts = await table.where(column, '=', id).where('kind', 'like', 'milestone.%').orderBy('id').execute();
    expect(facts.map((fact) => fact.kind.slice('milestone.'.length))).toEqual([
      'created',
      'updated',
      'closed',
      'reopened',
      'deleted',
    ]);
    expect(facts[0]).toMatchObject({ actor_id: planner.user.id, payload: { title: 'v1.0', iid: 1 } });
    expect(facts[4]?.actor_id).toBe(developer.user.id);
  });
});

describe('milestones of a tree', () => {
  it('groups give theirs to what is below, as far as the list reaches and the caller sees', async () => {
    const top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const group = await buildGroup(app, { parent: top, visibility: 'public' });
    const closed = await buildGroup(app, { parent: top, visibility: 'private' });
    const project = await buildProject(app, { namespace: group, visibility: 'public' });
    const at = {
      top: `/groups/${top.id}/milestones`,
      group: `/groups/${group.id}/milestones`,
      closed: `/groups/${closed.id}/milestones`,
      project: `/projects/${project.id}/milestones`,
    };
    for (const [title, path] of Object.entries(at)) await call('POST', path, owner, { title });
    expect(await titles(at.group)).toEqual(['group']);
    expect(await titles(at.group, { include_ancestors: true })).toEqual(['group', 'top']);
    expect(await titles(at.top, { include_descendants: true })).toEqual(['closed', 'group', 'top']);
    expect(await titles(at.top, { include_descendants: true }, null)).toEqual(['group', 'top']);
    expect(await titles(at.top, { include_descendants: true }, guest)).toEqual(['group', 'top']);
    expect(await titles(at.project)).toEqual(['project']);
    expect(await titles(at.project, { include_ancestors: true })).toEqual(['project', 'group', 'top']);
    expect((await call('POST', at.project, owner, { title: 'top' })).status).toBe(400);
    expect((await call('POST', at.top, owner, { title: 'project' })).status).toBe(400);
    expect((await call('POST', at.closed, owner, { title: 'project' })).status).toBe(201);
    const outer = (await call<Json[]>('GET', at.top, owner)).body[0];
    expect(await call('GET', `${at.project}/${outer?.id}`, owner)).toMatchObject(missing);
    expect(await call('DELETE', `${at.project}/${outer?.id}`, owner)).toMatchObject(missing);
  });

  it('a project’s milestone becomes one of its group, and takes the others of its title in', async () => {
    const group = await groupOf('private');
    const [one, two] = [await buildProject(app, { namespace: group }), await buildProject(app, { namespace: group })];
    const values = { title: 'shared', description: 'x', due_date: '2031-01-01' };
    const first = await call('POST', `/projects/${one.id}/milestones`, planner, values);
    const second = await call('POST', `/projects/${two.id}/milestones`, planner, { title: 'shared' });
    const path = `/projects/${one.id}/milestones/${first.body.id}/promote`;
    const worker = await buildToken(app);
    await buildMember(app, { user: worker.user, of: one, level: Level.maintainer });
    expect((await call('POST', path, worker)).status).toBe(403);
    expect((await call('POST', path, guest)).status).toBe(403);
    const promoted = await call('POST', path, planner);
    expect(promoted).toMatchObject({ status: 200, body: { group_id: group.id, iid: 1, state: 'active', ...values } });
    expect(await titles(`/groups/${group.id}/milestones`)).toEqual(['shared']);
    expect(await call('GET', `/projects/${two.id}/milestones/${second.body.id}`, owner)).toMatchObject(missing);
    expect(await call('POST', path, planner)).toMatchObject(missing);
    const own = await buildProject(app, { owner: owner.user });
    const lone = await call('POST', `/projects/${own.id}/milestones`, owner, values);
    expect(await call('POST', `/projects/${own.id}/milestones/${lone.body.id}/promote`, owner)).toMatchObject({
      status: 400,
      body: { message: 'Promotion failed - Project does not belong to a group.' },
    });
  });

  it('are there while issues or merge requests are, for whom they are', async () => {
    const group = await groupOf('public');
    const of = async (issues: string, requests: string) =>
      `/projects/${
        (
          await buildProject(app, {
            namespace: group,
            visibility: 'public',
            issues_access_level: issues,
            merge_requests_access_level: requests,
          } as Parameters<typeof buildProject>[1])
        ).id
      }/milestones`;
    const status = async (path: string, token?: BuiltToken) => (await call('GET', path, token)).status;
    const none = await of('disabled', 'disabled');
    expect([await status(none), await status(none, owner)]).toEqual([401, 403]);
    const members = await of('private', 'disabled');
    expect([await status(members), await status(members, await buildToken(app)), await status(members, guest)]).toEqual(
      [401, 403, 200],
    );
    expect(await status(await of('disabled', 'enabled'))).toBe(200);
  });

  it('go with their group, and are events of its projects', async () => {
    const project = await buildProject(app, { owner: owner.user, visibility: 'public' });
    const path = `/projects/${project.id}/milestones`;
    const made = await call('POST', path, owner, { title: 'Seen' });
    await call('PUT', `${path}/${made.body.id}`, owner, { state_event: 'close' });
    const events = async (token?: BuiltToken) =>
      (await call<Json[]>('GET', `/projects/${project.id}/events`, token, undefined, { target_type: 'milestone' }))
        .body;
    await eventually('both events', async () => (await events()).length === 2);
    expect(await events()).toMatchObject([
      { action_name: 'closed', target_type: 'Milestone', target_id: made.body.id, target_iid: 1, target_title: 'Seen' },
      { action_name: 'opened', target_type: 'Milestone', author_username: owner.user.username },
    ]);
    await call('DELETE', `${path}/${made.body.id}`, owner);
    await eventually('the removal', async () => (await events()).length === 3);
    expect((await events())[0]).toMatchObject({ action_name: 'destroyed', target_id: null, target_title: 'Seen' });
    await call('PUT', `/projects/${project.id}`, owner, {
      issues_access_level: 'private',
      merge_requests_access_level: 'private',
    });
    expect([await events(), (await events(owner)).length]).toEqual([[], 3]);
  });
});

it('is over on the day after the one it was due on', () => {
  const day = new Date('2026-03-01T23:59:00Z');
  expect(['2026-02-28', '2026-03-01', null].map((due) => milestoneExpired(due, day))).toEqual([true, false, false]);
});
