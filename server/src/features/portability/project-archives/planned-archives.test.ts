/** Issues and boards on the way there and back: random ones come out as they went in; wrong lines are told and left out. Slow: fills and reads whole projects over the API. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, unique } from '../../../../test/factories.ts';
import { archiveWorld, opened, packed } from '../../../../test/project-archives.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

const world = archiveWorld();
const { exported, imported } = world;
let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
beforeAll(async () => {
  ({ app, admin, owner } = await world.start());
});
afterAll(() => world.close());

/** A repeatable source of choices. */
function choices(seed: number) {
  let state = seed;
  const below = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  return { below, one: <T>(list: readonly T[]): T => list[below(list.length)] as T, maybe: () => below(2) === 0 };
}

const called =
  (project: Pick<RepositoryProject, 'api'>) =>
  async (method: 'POST' | 'PUT', target: string, json: Json): Promise<Json> => {
    const answer = await project.api<Json>(method, target, { json });
    expect([target, answer.status < 300, answer.body]).toEqual([target, true, answer.body]);
    return answer.body;
  };

async function planned(seed: number): Promise<RepositoryProject> {
  const { below, one, maybe } = choices(seed);
  const group = await buildGroup(app, { owner: owner.user });
  const project = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id }, files: null });
  const call = called(project);
  for (const name of ['bug', 'idea', 'scoped::one']) await call('POST', '/labels', { name, color: '#112233' });
  const above = { token: owner.secret, json: { name: `above-${seed}`, color: '#445566' } };
  expect((await app.api('POST', `/groups/${group.id}/labels`, above)).status).toBe(201);
  const labels = ['bug', 'idea', 'scoped::one', `above-${seed}`];
  const milestone = await call('POST', '/milestones', {
    title: 'v1',
    start_date: '2030-01-01',
    due_date: '2030-02-01',
  });
  const inGroup = async (path: string, json: Json): Promise<Json> => {
    const answer = await app.api<Json>('POST', `/groups/${group.id}${path}`, { token: owner.secret, json });
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body]);
    return answer.body;
  };
  const epic = await inGroup('/epics', { title: 'Above' });
  const iteration = await inGroup('/iterations', { title: 'Sprint', start_date: '2030-03-04', due_date: '2030-03-17' });
  const count = 6;
  for (let number = 1; number <= count; number++) {
    await call('POST', '/issues', {
      title: `Issue ${number} – ${'x'.repeat(below(40))}`,
      ...(maybe() ? { description: `- [ ] ä\n- [x] ${'y'.repeat(below(200))}` } : {}),
      ...(maybe() ? { labels: labels.filter(maybe).join(',') } : {}),
      ...(maybe() ? { milestone_id: milestone.id } : {}),
      ...(maybe() ? { assignee_ids: [owner.user.id] } : {}),
      ...(maybe() ? { weight: below(9) } : {}),
      ...(maybe() ? { due_date: '2031-05-06' } : {}),
      ...(maybe() ? { confidential: true } : {}),
      issue_type: one(['issue', 'incident', 'test_case']),
      ...(maybe() ? { health_status: one(['on_track', 'at_risk']) } : {}),
    });
    const at = `/issues/${number}`;
    if (maybe()) await call('PUT', at, { epic_id: epic.id });
    if (maybe()) await call('POST', `${at}/notes`, { body: `/iteration *iteration:${String(iteration.id)}` });
    if (maybe()) await call('PUT', at, { add_labels: 'idea', weight: below(9) });
    if (maybe()) await call('POST', `${at}/award_emoji`, { name: 'tada' });
    if (maybe()) await call('POST', `${at}/discussions`, { body: `Thread of ${number}` });
    if (maybe()) await call('POST', `${at}/notes`, { body: 'Between us', internal: true });
    if (maybe()) await call('POST', `${at}/time_estimate`, { duration: `${1 + below(20)}h` });
    for (let entry = below(3); entry > 0; entry--)
      await call('POST', `${at}/add_spent_time`, { duration: `${entry}h`, summary: `part ${entry}` });
    // The third is closed as one that repeats another.
    if (maybe() && number !== 3) await call('PUT', at, { state_event: 'close' });
    if (maybe()) await call('PUT', at, { discussion_locked: true, title: `Renamed ${number}` });
  }
  await call('PUT', '/issues/1', { state_event: 'close' });
  await call('PUT', '/issues/1', { state_event: 'reopen' });
  await call('POST', '/issues/1/links', {
    target_project_id: project.id,
    target_issue_iid: 2,
    link_type: one(['relates_to', 'blocks']),
  });
  await call('POST', '/issues/3/notes', { body: '/duplicate #4' });
  const board = await call('POST', '/boards', { name: 'Development' });
  const { body: known } = await project.api<Json[]>('GET', '/labels');
  for (const name of ['idea', `above-${seed}`])
    await call('POST', `/boards/${board.id}/lists`, { label_id: known.find((label) => label.name === name)?.id });
  await call('POST', `/boards/${board.id}/lists`, { milestone_id: milestone.id });
  await call('PUT', `/boards/${board.id}`, { milestone_id: milestone.id, hide_closed_list: true, labels: 'bug' });
  return project;
}

const ids = new Set([
  'id',
  'group_id',
  'resource_id',
  'parent_id',
  'epic_issue_id',
  'issue_id',
  'project_id',
  'url',
  'web_url',
  'web_path',
  'noteable_id',
  'issue_link_id',
  '_links',
  'imported',
  'imported_from',
]);
/** Without what a project has of its own. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !ids.has(key) && !['full', 'references', 'reference', 'project', 'subscribed'].includes(key))
      .map(([key, each]) => [key, plain(each)]),
  );
}

/** All that the API tells of what is planned in a project. */
async function seen(id: unknown): Promise<Record<string, unknown>> {
  const get = async (path: string) => {
    const { status, body } = await app.api<Json[]>('GET', `/projects/${id}${path}`, { token: admin.secret });
    expect([path, status]).toEqual([path, 200]);
    return body;
  };
  const found: Record<string, unknown> = {};
  const issues = await get('/issues?per_page=100&order_by=created_at&sort=asc');
  found.issues = plain(issues);
  for (const { iid } of issues) {
    const threads = await get(`/issues/${iid}/discussions`);
    found[`threads of ${iid}`] = threads.map(({ notes, individual_note: single }) => ({
      single,
      notes: (notes as Json[]).map(({ body, author, system, internal, created_at }) => ({
        ...{ body, system, internal, created_at },
        author: (author as Json).username,
      })),
    }));
    found[`links of ${iid}`] = (await get(`/issues/${iid}/links`)).map((link) => [link.iid, link.link_type]);
    for (const what of ['resource_label_events', 'resource_weight_events', 'resource_iteration_events', 'award_emoji'])
      found[`${what} of ${iid}`] = plain(
        (await get(`/issues/${iid}/${what}`)).map(({ awardable_id: _, ...row }) => row),
      );
    found[`states of ${iid}`] = (await get(`/issues/${iid}/resource_state_events`)).map((event) => [
      ...[event.state, event.created_at, (event.user as Json).username],
    ]);
  }
  found.boards = (await get('/boards')).map(({ name, hide_closed_list, milestone, labels, lists }) => ({
    ...{ name, hide_closed_list, milestone: (milestone as Json | null)?.title },
    labels: (labels as Json[]).map((label) => label.name),
    lists: (lists as Json[]).map(({ label, milestone: of, position }) => [
      ...[(label as Json | null)?.name, (of as Json | null)?.title, position],
    ]),
  }));
  return found;
}

/** The group of a project comes from its own archive, with the epics and iterations that issues have; its path. */
async function moved({ namespace_id }: { readonly namespace_id: number }): Promise<string> {
  const token = owner.secret;
  expect((await app.api('POST', `/groups/${namespace_id}/export`, { token })).status).toBe(202);
  const file = await eventually('the archive of the group', async () => {
    const url = `${app.url}/api/v4/groups/${namespace_id}/export/download`;
    const answer = await fetch(url, { headers: { 'PRIVATE-TOKEN': token } });
    return answer.status === 200 && new Blob([await answer.arrayBuffer()]);
  });
  const path = unique('moved');
  const form = new FormData();
  for (const name of ['name', 'path']) form.set(name, path);
  form.set('file', file, 'group.tar.gz');
  expect((await app.api('POST', '/groups/import', { token: admin.secret, form })).status).toBe(202);
  await eventually('the group', async () => {
    const { body } = await app.api<Json>('GET', `/groups/${path}/import`, { token: admin.secret });
    return body.import_status === 'finished';
  });
  return path;
}

it.each([1, 2, 3])(
  'issues, their threads, times and links, and boards come back as they were, of seed %i',
  async (seed) => {
    const project = await planned(seed);
    const archive = await exported(project);
    const namespace = await moved(await project.row());
    const status = await imported(archive, { namespace }, admin);
    expect(status).toMatchObject({
      import_status: 'finished',
      failed_relations: [],
      stats: { imported: { issues: 6, issue_links: 3, boards: 1 } },
    });
    const before = await seen(project.id);
    expect(await seen(status.id)).toEqual(before);
    // All of them say where they come from, as do comments.
    const origins = async (id: unknown) => {
      const get = async (path: string) =>
        (await app.api<Json[]>('GET', `/projects/${id}/issues${path}`, { token: admin.secret })).body;
      const issues = await get('?per_page=100');
      const notes = await Promise.all(issues.map(({ iid }) => get(`/${iid}/notes`)));
      return new Set([issues, ...notes].flat().map(({ imported: flag, imported_from }) => `${flag} ${imported_from}`));
    };
    expect([await origins(project.id), await origins(status.id)]).toEqual([
      new Set(['false none']),
      new Set(['true gitlab_project']),
    ]);
    const open = async (id: unknown) =>
      (await app.api<Json>('GET', `/projects/${id}`, { token: admin.secret })).body.open_issues_count;
    expect(await open(status.id)).toBe(await open(project.id));
    // A label of the group became one of the project, and the next number follows.
    const next = await app.api<Json>('POST', `/projects/${status.id}/issues`, {
      token: admin.secret,
      json: { title: 'Next' },
    });
    expect(next.body.iid).toBe(7);
  },
  60_000,
);

it('security 18: an archive of anybody names people and does not speak for them; wrong lines are left out and told', async () => {
  const project = await planned(4);
  const files = await opened(await exported(project));
  const at = '2024-01-02T03:04:05Z';
  const line = (row: Json) => JSON.stringify({ state: 'opened', type: 'issue', confidential: false, ...row });
  const about = { created_at: at, updated_at: at, assignees: [], labels: [] };
  files.set(
    'relations/issues.ndjson',
    Buffer.from(
      [
        line({ ...about, iid: 5, title: 'Mine', author: admin.user.username, assignees: [admin.user.username] }),
        line({ ...about, iid: 5, title: 'Twice' }),
        line({ ...about, iid: 0, title: 'Zero' }),
        line({ ...about, iid: 6, title: 'Backwards', start_date: '2024-02-02', due_date: '2024-01-01' }),
        line({ ...about, iid: 7, title: 'Many', labels: Array.from({ length: 1001 }, (_, each) => `l${each}`) }),
        line({ ...about, iid: 8, title: 'Closed', state: 'closed', closed_by: admin.user.username }),
        'no json',
      ].join('\n'),
    ),
  );
  files.set(
    'relations/issue_links.ndjson',
    Buffer.from(
      [
        [5, 8],
        [5, 5],
        [5, 99],
      ]
        .map(([source, target]) => JSON.stringify({ source, target, link_type: 'blocks', created_at: at }))
        .join('\n'),
    ),
  );
  const status = await imported(packed(files), {}, owner);
  expect(status).toMatchObject({
    import_status: 'finished',
    stats: { fetched: { issues: 7, issue_links: 3 }, imported: { issues: 2, issue_links: 1 } },
  });
  const reasons = (status.failed_relations as Json[])
    .filter(({ relation_name: name }) => String(name).startsWith('issue'))
    .map(({ relation_name: name, line_number: number, exception_message: reason }) => [name, number, reason]);
  expect(reasons).toEqual([
    ['issues', 2, 'is there already'],
    ['issues', 3, expect.stringContaining('iid')],
    ['issues', 4, 'ends before it begins'],
    ['issues', 5, expect.stringContaining('more than 1000')],
    ['issues', 7, expect.stringContaining('not a JSON object')],
    ['issue_links', 2, 'links an issue with itself'],
    ['issue_links', 3, 'is there already, or links issues that the archive does not have'],
  ]);
  const { body } = await app.api<Json[]>('GET', `/projects/${status.id}/issues?sort=asc`, { token: owner.secret });
  expect(body).toMatchObject([
    {
      iid: 5,
      author: { username: owner.user.username },
      assignees: [],
      description: expect.stringContaining('*Opened by'),
    },
    { iid: 8, state: 'closed', closed_by: null, closed_at: '2024-01-02T03:04:05.000Z' },
  ]);
});

it('[3/api.project-relations-export/1] issues and boards are relations that are fetched by themselves', async () => {
  const project = await planned(5);
  expect((await project.api('POST', '/export_relations', { json: {} })).status).toBe(202);
  const states = await eventually('all are finished', async () => {
    const { body } = await project.api<Json[]>('GET', '/export_relations/status');
    return body.length > 0 && body.every(({ status }) => status === 1) && body;
  });
  expect(states.map(({ relation }) => relation)).toEqual(expect.arrayContaining(['issues', 'issue_links', 'boards']));
});
