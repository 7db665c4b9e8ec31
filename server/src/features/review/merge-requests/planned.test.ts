/** Labels and milestones of merge requests: given, shown, filtered by, and kept through promotions and moves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildProject, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';

let app: TestApp;
let owner: BuiltToken;
let top: Namespace;
let group: Namespace;
let project: RepositoryProject;
let developer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  top = await buildGroup(app, { owner: owner.user });
  group = await buildGroup(app, { parent: top });
  project = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } });
  developer = await project.member(30);
});
afterAll(() => app.close());

const path = '/merge_requests';
async function request(json: Json = {}, of = project, token = of.owner): Promise<Json> {
  const branch = unique('branch');
  await of.commit(branch, { [`${branch}.txt`]: 'x\n' }, { start_branch: 'main' });
  const body = { source_branch: branch, target_branch: 'main', title: branch, ...json };
  const answer = await of.api('POST', path, { json: body, token: token.secret });
  expect([answer.status, answer.body.message ?? '']).toEqual([201, '']);
  return answer.body;
}
const change = async (iid: unknown, json: Json, token = developer, of = project) => {
  const answer = await of.api('PUT', `${path}/${iid}`, { json, token: token.secret });
  expect([answer.status, answer.body.message ?? '']).toEqual([200, '']);
  return answer.body;
};
const make = async (place: string, json: Json, token = owner) => {
  const answer = await app.api<Json>('POST', place, { json, token: token.secret });
  expect([answer.status, answer.body.message ?? '']).toEqual([201, '']);
  return answer.body;
};
const titlesOf = async (where: string) =>
  (await app.api<Json[]>('GET', where, { token: owner.secret })).body.map(({ name }) => name);

describe('labels', () => {
  it('are given by title: those of the groups above, and new ones for those who may make them', async () => {
    await make(`/groups/${top.id}/labels`, { name: 'above', color: '#112233' });
    const made = await request({ labels: 'above, new one,above' }, project, developer);
    expect(made.labels).toEqual(['above', 'new one']);
    const own = `/projects/${project.id}/labels`;
    expect(await titlesOf(`${own}?include_ancestor_groups=false`)).toEqual(['new one']);
    expect((await project.api('GET', '/labels/new%20one')).body).toMatchObject({ color: '#6699CC' });
    const events = app.db.selectFrom('audit_events').select(['event', 'author_id']).where('target_type', '=', 'Label');
    expect(await events.where('target_details', '=', 'new one').execute()).toEqual([
      { event: 'project_label_created', author_id: developer.user.id },
    ]);
  });

  it('are replaced, added and removed; empty removes all', async () => {
    const { iid } = await request({ labels: ['a', 'b'] });
    expect((await change(iid, { labels: 'b,c' })).labels).toEqual(['b', 'c']);
    expect((await change(iid, { add_labels: 'd', remove_labels: ['c'] })).labels).toEqual(['b', 'd']);
    expect((await change(iid, { title: 'Still' })).labels).toEqual(['b', 'd']);
    expect((await change(iid, { remove_labels: 'b,nothing' })).labels).toEqual(['d']);
    expect((await change(iid, { labels: '' })).labels).toEqual([]);
    expect((await project.api('GET', `${path}/${iid}`)).body.labels).toEqual([]);
    expect((await change(iid, { labels: ['x,y', ' ', 'z'] })).labels).toEqual(['x', 'y', 'z']);
    const many = Array.from({ length: 101 }, (_, at) => `l${at}`);
    expect((await project.api('PUT', `${path}/${iid}`, { json: { labels: many } })).status).toBe(400);
  });

  it('and milestones are not set by who only proposes a change; nobody else’s label is made', async () => {
    const open = await buildRepositoryProject(app, { owner, visibility: 'public' });
    const stranger = await buildToken(app);
    const fork = await app.api<Json>('POST', `/projects/${open.id}/fork`, { token: stranger.secret, json: {} });
    expect(fork.status).toBe(201);
    const milestone = await make(`/projects/${open.id}/milestones`, { title: 'v1' });
    const { iid } = await request({}, open);
    await app.db
      .updateTable('merge_requests')
      .set({ author_id: stranger.user.id })
      .where('project_id', '=', open.id)
      .execute();
    const changed = await change(iid, { title: 'Mine', labels: 'forged', milestone_id: milestone.id }, stranger, open);
    expect(changed).toMatchObject({ title: 'Mine', labels: [], milestone: null });
    expect(await titlesOf(`/projects/${open.id}/labels`)).toEqual([]);
  });

  it('[3/api.group-milestones/7 merge_requests] milestones tell how far they are, to who sees the merge requests', async () => {
    const milestone = await make(`/groups/${top.id}/milestones`, { title: unique('far') });
    const empty = await make(`/projects/${project.id}/milestones`, { title: unique('near') });
    const [first] = [await request({ milestone_id: milestone.id }), await request({ milestone_id: milestone.id })];
    await change(first.iid, { state_event: 'close' });
    const counted = async (place: string, query: object, token?: string) =>
      (
        await app.api<Json[]>('GET', `${place}/milestones`, { token, query: { include_ancestors: true, ...query } })
      ).body.find(({ id }) => id === milestone.id)?.merge_request_stats;
    const inside = [`/projects/${project.id}`, `/groups/${group.id}`, `/groups/${top.id}`];
    for (const place of inside) {
      expect(await counted(place, { with_counts: true }, owner.secret)).toEqual({ total: 2, closed: 1 });
      expect(await counted(place, {}, owner.secret)).toBeUndefined();
    }
    const list = await app.api<Json[]>('GET', `/projects/${project.id}/milestones`, {
      token: owner.secret,
      query: { with_counts: true, title: empty.title },
    });
    const nothing = { total: 0, closed: 0 };
    expect(list.body).toMatchObject([{ merge_request_stats: nothing, issue_stats: nothing }]);
    const issues = [{}, { confidential: true }].map((json) =>
      project.api<Json & { iid: number }>('POST', '/issues', {
        json: { title: unique('do'), milestone_id: milestone.id, ...json },
      }),
    );
    for (const { status } of await Promise.all(issues)) expect(status).toBe(201);
    const found = (await project.api<{ iid: number }[]>('GET', '/issues', { query: { confidential: 'false' } })).body;
    expect((await project.api('PUT', `/issues/${found[0]?.iid}`, { json: { state_event: 'close' } })).status).toBe(200);
    for (const place of inside) {
      const { body } = await app.api<Json[]>('GET', `${place}/milestones`, {
        token: owner.secret,
        query: { include_ancestors: true, with_counts: true },
      });
      expect(body.find(({ id }) => id === milestone.id)?.issue_stats).toEqual({ total: 2, closed: 1 });
    }
    // Of the groups below only where asked; nobody counts what they do not see.
    const planned = (query: object) =>
      app.api<Json[]>('GET', `/groups/${top.id}/milestones/${milestone.id}/merge_requests`, {
        token: owner.secret,
        query: { ...query },
      });
    expect((await planned({})).body).toEqual([]);
    expect((await planned({ include_subgroups: true })).body).toHaveLength(2);
    const open = await buildGroup(app, { visibility: 'public', owner: owner.user });
    const hidden = await buildRepositoryProject(app, { owner, settings: { namespace_id: open.id } });
    const shared = await make(`/groups/${open.id}/milestones`, { title: 'shared' });
    await request({ milestone_id: shared.id }, hidden);
    const seen = async (token?: string) =>
      (await app.api<Json[]>('GET', `/groups/${open.id}/milestones`, { token, query: { with_counts: true } })).body;
    expect(await seen(owner.secret)).toMatchObject([{ merge_request_stats: { total: 1, closed: 0 } }]);
    expect(await seen()).toMatchObject([{ merge_request_stats: { total: 0, closed: 0 } }]);
  });

  it('are counted for who sees the merge requests, and shown in detail where asked', async () => {
    const place = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const own = await buildRepositoryProject(app, {
      owner,
      visibility: 'public',
      settings: { namespace_id: place.id },
    });
    await make(`/groups/${place.id}/labels`, { name: 'counted', color: '#00ff00', description: '<b>' });
    const [one] = [await request({ labels: 'counted' }, own), await request({ labels: 'counted' }, own)];
    const counts = async (place: string, token?: BuiltToken) =>
      (
        await app.api<Json[]>('GET', `${place}/labels`, { token: token?.secret, query: { with_counts: true } })
      ).body.find(({ name }) => name === 'counted')?.open_merge_requests_count;
    expect(await counts(`/projects/${own.id}`)).toBe(2);
    expect(await counts(`/groups/${place.id}`, owner)).toBe(2);
    await own.api('PUT', `${path}/${one.iid}`, { json: { state_event: 'close' } });
    expect(await counts(`/groups/${place.id}`, owner)).toBe(1);
    await own.api('PUT', '', { json: { merge_requests_access_level: 'private' } });
    expect([await counts(`/projects/${own.id}`), await counts(`/projects/${own.id}`, owner)]).toEqual([0, 1]);
    const list = await own.api<Json[]>('GET', path, { query: { with_labels_details: true, state: 'opened' } });
    expect(list.body[0]?.labels).toEqual([
      {
        id: expect.any(Number),
        name: 'counted',
        description: '<b>',
        description_html: '&lt;b&gt;',
        text_color: '#FFFFFF',
        color: '#00ff00',
        archived: false,
      },
    ]);
  });

  it('stay where they are when they are promoted, and go when they are removed', async () => {
    const other = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } });
    const [here, there] = [await request({ labels: 'shared' }), await request({ labels: 'shared,own' }, other)];
    const promoted = await project.api('PUT', '/labels/shared/promote');
    expect(promoted.status).toBe(200);
    expect((await project.api('GET', `${path}/${here.iid}`)).body.labels).toEqual(['shared']);
    expect((await other.api('GET', `${path}/${there.iid}`)).body.labels).toEqual(['own', 'shared']);
    expect((await other.api('GET', '/labels/shared')).body).toMatchObject({ is_project_label: false });
    await other.api('DELETE', '/labels/own');
    expect((await other.api('GET', `${path}/${there.iid}`)).body.labels).toEqual(['shared']);
  });
});

describe('milestones', () => {
  it('are those of the project and the groups above; others are none', async () => {
    const above = await make(`/groups/${top.id}/milestones`, { title: 'Above', due_date: '2030-01-01' });
    const own = await make(`/projects/${project.id}/milestones`, { title: 'Own' });
    const foreign = await make(`/projects/${(await buildProject(app, { owner: owner.user })).id}/milestones`, {
      title: 'Foreign',
    });
    const { iid, milestone } = await request({ milestone_id: above.id }, project, developer);
    expect(milestone).toEqual(above);
    expect((await change(iid, { milestone_id: own.id })).milestone).toEqual(own);
    expect((await change(iid, { title: 'Kept' })).milestone).toEqual(own);
    expect((await change(iid, { milestone_id: foreign.id })).milestone).toBeNull();
    await change(iid, { milestone_id: own.id });
    expect((await change(iid, { milestone_id: 0 })).milestone).toBeNull();
    await change(iid, { milestone_id: own.id });
    expect((await change(iid, { milestone_id: null })).milestone).toBeNull();
    await change(iid, { milestone_id: own.id });
    await app.api('DELETE', `/projects/${project.id}/milestones/${own.id}`, { token: owner.secret });
    expect((await project.api('GET', `${path}/${iid}`)).body.milestone).toBeNull();
  });

  it('[3/api.group-milestones/7 GET, /:milestone_id/merge_requests] list their merge requests, as far as the caller sees them', async () => {
    const outer = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const inner = await buildGroup(app, { parent: outer, visibility: 'public' });
    const at = { visibility: 'public' as const, owner };
    const direct = await buildRepositoryProject(app, { ...at, settings: { namespace_id: outer.id } });
    const hidden = await buildRepositoryProject(app, { owner, settings: { namespace_id: outer.id } });
    const deep = await buildRepositoryProject(app, { ...at, settings: { namespace_id: inner.id } });
    const { id } = await make(`/groups/${outer.id}/milestones`, { title: 'All' });
    for (const of of [direct, hidden, deep]) await request({ milestone_id: id }, of);
    await request({}, direct);
    const url = `/groups/${outer.id}/milestones/${id}/merge_requests`;
    const projects = async (target: string, token?: BuiltToken) =>
      (await app.api<Json[]>('GET', target, { token: token?.secret })).body.map((each) => each.project_id);
    expect(await projects(url, owner)).toEqual([hidden.id, direct.id]);
    expect(await projects(url)).toEqual([direct.id]);
    expect((await app.api('GET', `/groups/${inner.id}/milestones/${id}/merge_requests`)).status).toBe(404);
    const own = await make(`/projects/${direct.id}/milestones`, { title: 'Own' });
    const { iid } = await request({ milestone_id: own.id }, direct);
    const ofProject = `/projects/${direct.id}/milestones/${own.id}/merge_requests`;
    expect((await app.api<Json[]>('GET', ofProject)).body).toMatchObject([{ iid, milestone: { id: own.id } }]);
    await direct.api('PUT', '', { json: { merge_requests_access_level: 'private' } });
    expect([await projects(ofProject), await projects(ofProject, owner)]).toEqual([[], [direct.id]]);
    expect((await app.api('GET', `/projects/${deep.id}/milestones/${own.id}/merge_requests`)).status).toBe(404);
    // The list of the group reaches further.
    const all = `/groups/${outer.id}/merge_requests?milestone=All`;
    expect(await projects(all, owner)).toEqual([deep.id, hidden.id, direct.id]);
    expect(await projects(all)).toEqual([deep.id]);
    await deep.api('POST', '/archive');
    expect(await projects(all, owner)).toEqual([hidden.id, direct.id]);
    expect(await projects(`${all}&non_archived=false`, owner)).toEqual([deep.id, hidden.id, direct.id]);
  });

  it('are those of the group after a promotion', async () => {
    const place = await buildGroup(app, { owner: owner.user });
    const [one, two] = [
      await buildRepositoryProject(app, { owner, settings: { namespace_id: place.id } }),
      await buildRepositoryProject(app, { owner, settings: { namespace_id: place.id } }),
    ];
    const made = [];
    for (const of of [one, two]) {
      const { id } = await make(`/projects/${of.id}/milestones`, { title: 'v1' });
      made.push({ of, milestone: id, iid: (await request({ milestone_id: id }, of)).iid });
    }
    const promoted = await one.api('POST', `/milestones/${made[0]?.milestone}/promote`);
    expect(promoted).toMatchObject({ status: 200, body: { group_id: place.id } });
    for (const { of, iid } of made)
      expect((await of.api('GET', `${path}/${iid}`)).body.milestone).toMatchObject({ id: promoted.body.id });
  });
});

describe('lists', () => {
  it('are filtered by labels and milestone, and by what is not there', async () => {
    const own = await buildRepositoryProject(app, { owner });
    const v1 = await make(`/projects/${own.id}/milestones`, { title: 'v1' });
    const v2 = await make(`/projects/${own.id}/milestones`, { title: 'v2' });
    const a = (await request({ labels: 'a', milestone_id: v1.id }, own)).iid;
    const ab = (await request({ labels: 'a,b', milestone_id: v2.id }, own)).iid;
    const bare = (await request({}, own)).iid;
    const list = async (query: string) => {
      const answer = await app.api<Json[]>('GET', `/projects/${own.id}${path}?sort=asc&${query}`, {
        token: owner.secret,
      });
      expect(answer.status).toBe(200);
      return answer.body.map(({ iid }) => iid);
    };
    expect(await list('labels=a')).toEqual([a, ab]);
    expect(await list('labels=a,b')).toEqual([ab]);
    expect(await list('labels[]=b')).toEqual([ab]);
    expect(await list('labels=A')).toEqual([]);
    expect(await list('labels=None')).toEqual([bare]);
    expect(await list('labels=any')).toEqual([a, ab]);
    expect(await list('not[labels]=b')).toEqual([a, bare]);
    expect(await list('not[labels]=a,b')).toEqual([bare]);
    expect(await list('labels=a&not[labels]=b')).toEqual([a]);
    expect(await list('milestone=v1')).toEqual([a]);
    expect(await list('milestone=None')).toEqual([bare]);
    expect(await list('milestone=Any')).toEqual([a, ab]);
    expect(await list('not[milestone]=v1')).toEqual([ab, bare]);
    expect(await list('labels=a&milestone=v2')).toEqual([ab]);
  });
});

describe('moves', () => {
  it('a project that leaves a group takes its labels and milestones along, or has those of the new group', async () => {
    const [from, to] = [await buildGroup(app, { owner: owner.user }), await buildGroup(app, { owner: owner.user })];
    const own = await buildRepositoryProject(app, { owner, settings: { namespace_id: from.id } });
    await make(`/groups/${from.id}/labels`, { name: 'only there', color: '#123456', description: 'kept' });
    await make(`/groups/${from.id}/labels`, { name: 'in both', color: '#123456' });
    await make(`/groups/${to.id}/labels`, { name: 'in both', color: '#654321' });
    const milestone = await make(`/groups/${from.id}/milestones`, { title: 'Plan', due_date: '2030-05-01' });
    const { iid } = await request({ labels: 'only there,in both', milestone_id: milestone.id }, own);
    const moved = await own.api('PUT', '/transfer', { json: { namespace: to.id } });
    expect(moved.status).toBe(200);
    const { body } = await own.api('GET', `${path}/${iid}`);
    expect(body).toMatchObject({
      labels: ['in both', 'only there'],
      milestone: { project_id: own.id, iid: 1, title: 'Plan', due_date: '2030-05-01' },
    });
    expect((await own.api('GET', '/labels/only%20there')).body).toMatchObject({
      is_project_label: true,
      color: '#123456',
      description: 'kept',
    });
    expect((await own.api('GET', '/labels/in%20both')).body).toMatchObject({
      is_project_label: false,
      color: '#654321',
    });
    const own_titles = await titlesOf(`/projects/${own.id}/labels?include_ancestor_groups=false`);
    expect(own_titles).toEqual(['only there']);
  });

  it('so do the projects of a group that moves', async () => {
    const from = await buildGroup(app, { owner: owner.user });
    const inner = await buildGroup(app, { parent: from });
    const own = await buildRepositoryProject(app, { owner, settings: { namespace_id: inner.id } });
    await make(`/groups/${from.id}/labels`, { name: 'left', color: '#123456' });
    await make(`/groups/${inner.id}/labels`, { name: 'stays', color: '#123456' });
    const milestone = await make(`/groups/${from.id}/milestones`, { title: 'Left' });
    const { iid } = await request({ labels: 'left,stays', milestone_id: milestone.id }, own);
    const moved = await app.api('POST', `/groups/${inner.id}/transfer`, {
      token: owner.secret,
      json: { group_id: top.id },
    });
    expect(moved.status).toBeLessThan(300);
    expect((await own.api('GET', `${path}/${iid}`)).body).toMatchObject({
      labels: ['left', 'stays'],
      milestone: { project_id: own.id, title: 'Left' },
    });
    expect(await titlesOf(`/projects/${own.id}/labels?include_ancestor_groups=false`)).toEqual(['left']);
  });
});

it('what changed is told: labels as they were and are, and the milestone', async () => {
  const { id } = await make(`/projects/${project.id}/milestones`, { title: 'told' });
  const made = await request({ labels: 'before' });
  await change(made.iid, { labels: 'after', milestone_id: id });
  const fact = await app.db
    .selectFrom('facts')
    .select('payload')
    .where('kind', '=', 'merge_request.updated')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  expect(fact.payload).toMatchObject({
    merge_request_id: made.id,
    changes: {
      labels: { previous: [{ title: 'before' }], current: [{ title: 'after', project_id: project.id }] },
      milestone_id: { previous: null, current: id },
    },
  });
});
