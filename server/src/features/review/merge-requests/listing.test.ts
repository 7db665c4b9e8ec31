/** Lists of merge requests over all projects, and by who has approved. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, buildToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ background: true });
});
afterAll(() => app.close());

async function open(project: RepositoryProject, author: BuiltToken): Promise<Json & { id: number; iid: number }> {
  const branch = unique('work');
  await project.commit(branch, { [branch]: '1' }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api<Json & { id: number; iid: number }>('POST', '/merge_requests', {
    token: author.secret,
    json,
  });
  expect(made.status).toBe(201);
  return made.body;
}

it('GET /merge_requests: those that the caller sees, own ones by default', async () => {
  const [one, other] = [await buildRepositoryProject(app), await buildRepositoryProject(app)];
  const author = await one.member(Level.developer);
  const [own, foreign, hidden] = [await open(one, author), await open(one, one.owner), await open(other, other.owner)];
  const list = async (query: Record<string, string> = {}, who: BuiltToken | null = author) => {
    const answer = await app.api<Json[]>('GET', '/merge_requests', { ...(who ? { token: who.secret } : {}), query });
    return answer.status === 200 ? answer.body.map(({ id }) => id) : answer.status;
  };
  expect(await list()).toEqual([own.id]);
  expect(await list({ scope: 'all' })).toEqual([foreign.id, own.id]);
  expect(await list({ scope: 'all', sort: 'asc', state: 'opened' })).toEqual([own.id, foreign.id]);
  expect(await list({}, other.owner)).toEqual([hidden.id]);
  expect(await list({}, null)).toBe(401);
  // Whoever leaves sees none of them, not even their own.
  expect((await one.api('DELETE', `/members/${author.user.id}`)).status).toBe(204);
  expect(await list({ scope: 'all' })).toEqual([]);
  // Whoever is not signed in sees those of public projects, if all are asked for.
  const everybodys = await buildRepositoryProject(app, { visibility: 'public' });
  const shown = await open(everybodys, everybodys.owner);
  for (const scope of ['created_by_me', 'assigned_to_me', 'reviews_for_me'])
    expect(await list({ scope }, null)).toBe(401);
  expect(await list({ scope: 'all' }, null)).toEqual([shown.id]);
});

it('references are relative to what a list is about', async () => {
  const owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user });
  const below = await buildGroup(app, { parent: group });
  const inGroup = (namespace_id: number) => buildRepositoryProject(app, { owner, settings: { namespace_id } });
  const [here, deeper] = [await inGroup(group.id), await inGroup(below.id)];
  for (const project of [here, deeper]) await open(project, owner);
  const relative = async (path: string) => {
    const query = { scope: 'all', sort: 'asc', author_id: String(owner.user.id) };
    const { body } = await app.api<Array<{ references: Json }>>('GET', path, { token: owner.secret, query });
    return body.map(({ references }) => references.relative);
  };
  const [first, second] = [`${here.fullPath}!1`, `${deeper.fullPath}!1`];
  expect(await relative(`/projects/${here.id}/merge_requests`)).toEqual(['!1']);
  expect(await relative(`/groups/${group.id}/merge_requests`)).toEqual([
    first.replace(`${group.full_path}/`, ''),
    second,
  ]);
  expect(await relative('/merge_requests')).toEqual([first, second]);
});

it('view=simple: no more than what they are called and how far they are, filtered and paged as other lists', async () => {
  const owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user });
  const project = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } });
  const [first, second] = [await open(project, owner), await open(project, owner)];
  await project.api('PUT', `/merge_requests/${first.iid}`, { json: { state_event: 'close' } });
  for (const path of [
    `/projects/${project.id}/merge_requests`,
    `/groups/${group.id}/merge_requests`,
    '/merge_requests',
  ]) {
    const list = async (query: Record<string, string>) =>
      await app.api<Json[]>('GET', path, { token: owner.secret, query: { sort: 'asc', ...query } });
    const whole = (await list({})).body;
    const simple = await list({ view: 'simple' });
    const fields = ['id', 'iid', 'project_id', 'title', 'description', 'state', 'created_at', 'updated_at', 'web_url'];
    expect([path, simple.body.map((each) => Object.keys(each))]).toEqual([path, [fields, fields]]);
    expect(simple.body).toEqual(whole.map((each) => Object.fromEntries(fields.map((name) => [name, each[name]]))));
    const paged = await list({ view: 'simple', state: 'opened', per_page: '1' });
    expect([paged.body.map(({ id }) => id), paged.headers.get('x-total')]).toEqual([[second.id], '1']);
    expect((await list({ view: 'other' })).status).toBe(400);
    // What a form leaves empty narrows nothing.
    for (const empty of [
      'iids',
      'milestone',
      'labels',
      'reviewer_username',
      'search',
      'source_branch',
      'not[milestone]',
    ])
      expect([empty, (await list({ view: 'simple', [empty]: '' })).body]).toEqual([empty, simple.body]);
  }
});

it('approved_by_ids and approved_by_usernames: those that all of them have approved', async () => {
  const project = await buildRepositoryProject(app);
  const [first, second] = [await project.member(Level.developer), await project.member(Level.developer)];
  const [one, both] = [await open(project, project.owner), await open(project, project.owner)];
  for (const [request, who] of [
    [one, first],
    [both, first],
    [both, second],
  ] as const)
    expect((await project.api('POST', `/merge_requests/${request.iid}/approve`, { token: who.secret })).status).toBe(
      201,
    );
  const list = async (query: Record<string, string>) =>
    (await project.api<Json[]>('GET', '/merge_requests', { query })).body.map(({ id }) => id);
  expect(await list({ approved_by_ids: String(first.user.id) })).toEqual([both.id, one.id]);
  expect(await list({ 'approved_by_ids[]': String(second.user.id) })).toEqual([both.id]);
  const names = `${first.user.username},${second.user.username}`;
  expect(await list({ approved_by_usernames: names })).toEqual([both.id]);
  expect(await list({ approved_by_usernames: project.owner.user.username })).toEqual([]);
  const neither = await open(project, project.owner);
  expect(await list({ approved_by_ids: 'None' })).toEqual([neither.id]);
  expect(await list({ approved_by_ids: 'Any' })).toEqual([both.id, one.id]);
});

it('approver_ids: those whose approval rules name all of them', async () => {
  const project = await buildRepositoryProject(app);
  const approver = await project.member(Level.developer);
  const [one, two] = [await open(project, project.owner), await open(project, project.owner)];
  const list = async (approver_ids: string) =>
    (await project.api<Json[]>('GET', '/merge_requests', { query: { approver_ids, sort: 'asc' } })).body.map(
      ({ id }) => id,
    );
  expect([await list('None'), await list('Any')]).toEqual([[one.id, two.id], []]);
  const rule = { name: 'Own', approvals_required: 1, user_ids: [approver.user.id] };
  const made = await project.api('POST', `/merge_requests/${two.iid}/approval_rules`, { json: rule });
  expect(made.status).toBe(201);
  expect([await list(String(approver.user.id)), await list('None')]).toEqual([[two.id], [one.id]]);
  await project.api('POST', '/approval_rules', { json: { ...rule, name: 'All' } });
  expect(await list('Any')).toEqual([one.id, two.id]);
  expect(await list(String(project.owner.user.id))).toEqual([]);
});

it('deployed_after, deployed_before and environment: those that a successful deployment brought', async () => {
  const project = await buildRepositoryProject(app);
  const [one, two] = [await open(project, project.owner), await open(project, project.owner)];
  const merged = await project.api('PUT', `/merge_requests/${one.iid}/merge`);
  expect(merged.body).toMatchObject({ first_contribution: true, first_deployed_to_production_at: null });
  const tip = (await project.api<{ commit: { id: string } }>('GET', '/repository/branches/main')).body.commit.id;
  const deploy = (environment: string, sha: string) =>
    project.api('POST', '/deployments', { json: { environment, sha, ref: 'main', tag: false, status: 'success' } });
  expect((await deploy('production', tip)).status).toBe(201);
  const list = async (query: Record<string, string>) =>
    (await project.api<Json[]>('GET', '/merge_requests', { query })).body.map(({ id }) => id);
  // In the background a deployment is linked to what it brings.
  await eventually('the link', async () => (await list({ environment: 'production' })).length > 0);
  expect(await list({ environment: 'production' })).toEqual([one.id]);
  expect(await list({ environment: 'staging' })).toEqual([]);
  expect(await list({ deployed_after: '2020-01-01T00:00:00Z' })).toEqual([one.id]);
  expect(await list({ deployed_before: '2020-01-01T00:00:00Z', environment: 'production' })).toEqual([]);
  const { body } = await project.api('GET', `/merge_requests/${one.iid}`);
  expect(body).toMatchObject({ first_deployed_to_production_at: expect.stringMatching(/^20/) });
  expect((await project.api('PUT', `/merge_requests/${two.iid}/merge`)).body).toMatchObject({
    first_contribution: false,
  });
});

it('two names of the same filter are refused', async () => {
  const { api } = await buildRepositoryProject(app);
  const { status, body } = await api('GET', '/merge_requests', { query: { author_id: '1', author_username: 'x' } });
  expect([status, body]).toEqual([400, { error: 'author_id, author_username are mutually exclusive' }]);
});

it('people, reactions and approvals narrow a list, and leave out with not[]; reactions and due dates order it', async () => {
  const project = await buildRepositoryProject(app);
  const [ada, ben] = [await project.member(Level.developer), await project.member(Level.developer)];
  const [one, two, three] = [await open(project, ada), await open(project, ben), await open(project, ben)];
  const change = (iid: number, json: Json) => project.api('PUT', `/merge_requests/${iid}`, { json });
  await change(one.iid, { assignee_ids: [ben.user.id], reviewer_ids: [ada.user.id] });
  await change(two.iid, { assignee_ids: [ada.user.id] });
  for (const [iid, name] of [
    [two.iid, 'thumbsup'],
    [one.iid, 'rocket'],
  ] as const)
    await project.api('POST', `/merge_requests/${iid}/award_emoji`, { token: ada.secret, json: { name } });
  await project.api('POST', `/merge_requests/${three.iid}/approve`, { token: ada.secret });
  const milestone = await project.api<{ id: number }>('POST', '/milestones', {
    json: { title: 'Soon', due_date: '2030-01-02' },
  });
  await change(three.iid, { milestone_id: milestone.body.id });
  const merged = await project.api('PUT', `/merge_requests/${three.iid}/merge`);
  expect(merged.status).toBe(200);
  const numbers = new Map([one, two, three].map(({ id }, at) => [id, at + 1]));
  const list = async (query: Record<string, string>, who = ada) =>
    (
      await project.api<{ id: number }[]>('GET', '/merge_requests', {
        token: who.secret,
        query: { sort: 'asc', ...query },
      })
    ).body.map(({ id }) => numbers.get(id));
  expect(await list({ 'not[author_id]': String(ada.user.id) })).toEqual([2, 3]);
  expect(await list({ 'not[author_username]': ben.user.username.toUpperCase() })).toEqual([1]);
  expect(await list({ 'not[assignee_id]': String(ben.user.id) })).toEqual([2, 3]);
  expect(await list({ 'not[assignee_username]': `${ada.user.username},${ben.user.username}` })).toEqual([3]);
  expect(await list({ 'not[reviewer_id]': String(ada.user.id) })).toEqual([2, 3]);
  expect(await list({ 'not[reviewer_username]': ada.user.username })).toEqual([2, 3]);
  expect(await list({ 'not[source_branch]': String(one.source_branch) })).toEqual([2, 3]);
  expect(await list({ 'not[target_branch]': 'main' })).toEqual([]);
  expect(await list({ my_reaction_emoji: 'rocket' })).toEqual([1]);
  expect(await list({ my_reaction_emoji: 'rocket' }, ben)).toEqual([]);
  expect(await list({ my_reaction_emoji: 'Any' })).toEqual([1, 2]);
  expect(await list({ my_reaction_emoji: 'None' })).toEqual([3]);
  expect(await list({ 'not[my_reaction_emoji]': 'rocket' })).toEqual([2, 3]);
  expect(await list({ approved: 'yes' })).toEqual([3]);
  expect(await list({ approved: 'no' })).toEqual([1, 2]);
  expect(await list({ merge_user_id: String(project.owner.user.id) })).toEqual([3]);
  expect(await list({ merge_user_username: ada.user.username })).toEqual([]);
  expect(await list({ source_project_id: String(project.id) })).toEqual([1, 2, 3]);
  expect(await list({ source_project_id: '1' })).toEqual([]);
  expect((await list({ order_by: 'popularity', sort: 'desc' }))[0]).toBe(2);
  expect((await list({ order_by: 'milestone_due' }))[0]).toBe(3);
  expect(await list({ order_by: 'label_priority' })).toHaveLength(3);
  expect((await list({ order_by: 'priority' }))[0]).toBe(3);
  expect(await list({ reviewer_username: 'None' })).toEqual([2, 3]);
  expect(await list({ reviewer_username: 'Any' })).toEqual([1]);
});

it('search looks into titles and descriptions of all projects, along an index', async () => {
  const [one, other] = [await buildRepositoryProject(app), await buildRepositoryProject(app)];
  const word = unique('needle');
  const titled = await open(one, one.owner);
  const described = await open(one, one.owner);
  await open(one, one.owner);
  const hidden = await open(other, other.owner);
  const change = async (project: RepositoryProject, iid: number, json: Json) =>
    expect((await project.api('PUT', `/merge_requests/${iid}`, { json })).status).toBe(200);
  await change(one, titled.iid, { title: `About ${word.toUpperCase()}` });
  await change(one, described.iid, { description: `Mends the ${word} at last` });
  await change(other, hidden.iid, { title: word });
  const list = async (query: Record<string, string>) => {
    const answer = await app.api<Json[]>('GET', '/merge_requests', {
      token: one.owner.secret,
      query: { scope: 'all', search: word, ...query },
    });
    return answer.body.map(({ id }) => id);
  };
  expect(await list({})).toEqual([described.id, titled.id]);
  expect(await list({ in: 'title' })).toEqual([titled.id]);
  const plan = await app.db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    return await sql<{ 'QUERY PLAN': string }>`explain select id from merge_requests
      where title ilike '%needle%' or description ilike '%needle%'`.execute(tx);
  });
  expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('merge_requests_search');
});

it('statistics count by state what a filter finds, in a project and in its group', async () => {
  const project = await buildRepositoryProject(app);
  const author = await project.member(Level.developer);
  const [first, second] = [await open(project, author), await open(project, project.owner)];
  await open(project, project.owner);
  const change = await project.api('PUT', `/merge_requests/${second.iid}`, { json: { state_event: 'close' } });
  expect(change.status).toBe(200);
  const counts = async (path: string, query: Record<string, string> = {}, who: BuiltToken | null = author) => {
    const answer = await app.api<{ statistics: { counts: Json } }>('GET', `${path}/merge_requests_statistics`, {
      ...(who ? { token: who.secret } : {}),
      query,
    });
    return answer.status === 200 ? answer.body.statistics.counts : answer.status;
  };
  const path = `/projects/${project.id}`;
  expect(await counts(path)).toEqual({ all: 3, opened: 2, closed: 1, merged: 0 });
  expect(await counts(path, { author_username: author.user.username })).toEqual({
    ...{ all: 1, opened: 1, closed: 0, merged: 0 },
  });
  expect((await project.api('PUT', `/merge_requests/${first.iid}/merge`)).status).toBe(200);
  expect(await counts(path)).toEqual({ all: 3, opened: 1, closed: 1, merged: 1 });
  expect(await counts(path, { search: first.title as string })).toMatchObject({ all: 1, merged: 1 });
  expect(await counts(path, {}, null)).toBe(404);

  const owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user });
  const inside = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } });
  await open(inside, owner);
  expect(await counts(`/groups/${group.id}`, {}, owner)).toEqual({ all: 1, opened: 1, closed: 0, merged: 0 });
  expect(await counts(`/groups/${group.id}`)).toBe(404);
});

it('with_counts tells commits, pipelines and open threads of one merge request', async () => {
  const project = await buildRepositoryProject(app, {
    settings: { visibility: 'public', builds_access_level: 'private' },
  });
  const request = await open(project, project.owner);
  await project.commit(request.source_branch as string, { more: '2', '.gitlab-ci.yml': 'one: {script: [make]}\n' });
  for (const body of ['One', 'Two'])
    expect((await project.api('POST', `/merge_requests/${request.iid}/discussions`, { json: { body } })).status).toBe(
      201,
    );
  const read = async (query: Record<string, string>, token: string | null = project.owner.secret) =>
    (await project.api<Json>('GET', `/merge_requests/${request.iid}`, { query, token })).body.counts;
  expect((await project.api('POST', '/pipeline', { json: { ref: request.source_branch as string } })).status).toBe(201);
  await eventually('both commits and the pipeline', async () => {
    const counts = (await read({ with_counts: 'true' })) as { commits: number; pipelines: number };
    return counts.commits === 2 && counts.pipelines >= 1 ? counts : null;
  });
  expect(await read({ with_counts: 'true' })).toMatchObject({ open_threads: 2 });
  expect(
    (await project.api('POST', `/merge_requests/${request.iid}/draft_notes`, { json: { note: 'Later' } })).status,
  ).toBe(201);
  expect(await read({ with_counts: 'true' })).toMatchObject({ pending_comments: 1, open_threads: 2 });
  const reacted = await project.api('POST', `/merge_requests/${request.iid}/award_emoji`, { json: { name: 'heart' } });
  expect(reacted.status).toBe(201);
  expect(await read({ with_counts: 'true' })).toMatchObject({ reactions: 1 });
  // Of the caller alone.
  const others = { pipelines: null, open_threads: 2, pending_comments: 0 };
  expect(await read({ with_counts: 'true' }, null)).toMatchObject(others);
  expect(await read({})).toBeUndefined();
});
