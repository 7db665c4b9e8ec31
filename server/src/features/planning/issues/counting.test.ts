/** Totals of lists of issues: by labels alone, of pages that end a list, and of lists too long for one. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { plansOf } from '../../../../test/plans.queries.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { countByState, issueCounts } from './counting.queries.ts';
import { listIssues } from './listing.queries.ts';
import { farLists } from './window.queries.ts';

let app: TestApp;
let owner: BuiltToken;
let guest: BuiltToken;
let group: Namespace;
let project: Project;
let base: string;

interface Described {
  readonly title: string;
  readonly labels?: string;
  readonly confidential?: boolean;
}
const create = async (json: Described, path = base, token = owner) => {
  const { status } = await app.api('POST', path, { token: token.secret, json });
  expect(status).toBe(201);
};
const total = async (query: object, token: BuiltToken | null = owner, path = base) => {
  const { status, headers } = await app.api('GET', path, {
    ...(token ? { token: token.secret } : {}),
    query: { per_page: 1, ...query },
  });
  expect(status).toBe(200);
  return headers.get('x-total');
};
const admin = () => ({ user: owner.user, credential: { kind: 'none' }, scopes: null, admin: true }) as const;

beforeAll(async () => {
  app = await startTestApp();
  [owner, guest] = [await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { owner: owner.user });
  project = await buildProject(app, { namespace: group, visibility: 'public' });
  await buildMember(app, { user: guest.user, of: project, level: Level.guest });
  base = `/projects/${project.id}/issues`;
});
afterAll(() => app.close());

it('filters that are left empty, as in a form, narrow nothing', async () => {
  const path = `/projects/${(await buildProject(app, { namespace: group })).id}/issues`;
  await create({ title: 'x', labels: 'red' }, path);
  for (const name of ['iids', 'milestone', 'labels', 'author_username', 'assignee_username', 'iteration_title'])
    for (const given of [name, `not[${name}]`])
      expect([given, await total({ [given]: '' }, owner, path)]).toEqual([given, '1']);
  for (const name of ['iids[]', 'search', 'in', 'my_reaction_emoji', 'due_date'])
    expect([name, await total({ [name]: '' }, owner, path)]).toEqual([name, '1']);
  expect(await total({ author_username: 'x' }, owner, path)).toBe('0');
});

it('counts issues by labels of the project and of its groups, without those that the caller does not see', async () => {
  const shared = await app.api('POST', `/groups/${group.id}/labels`, {
    token: owner.secret,
    json: { name: 'shared', color: '#112233' },
  });
  expect(shared.status).toBe(201);
  await create({ title: 'a', labels: 'red' });
  await create({ title: 'b', labels: 'red,blue' });
  await create({ title: 'c', labels: 'red,blue,shared' });
  await create({ title: 'd', labels: 'blue,shared', confidential: true });
  await create({ title: 'e', labels: 'blue', confidential: true }, base, guest);
  const other = await buildProject(app, { namespace: group });
  await create({ title: 'f', labels: 'shared,red' }, `/projects/${other.id}/issues`);
  await create({ title: 'g', labels: 'shared' }, `/projects/${other.id}/issues`);

  expect(await total({ labels: 'red' })).toBe('3');
  expect(await total({ labels: 'blue' })).toBe('4');
  expect(await total({ labels: 'red,blue' })).toBe('2');
  expect(await total({ labels: 'red,red' })).toBe('3');
  expect(await total({ labels: 'shared' })).toBe('2');
  expect(await total({ labels: 'blue,shared' })).toBe('2');
  expect(await total({ labels: 'red,missing' })).toBe('0');
  expect(await total({ labels: 'blue', state: 'closed' })).toBe('0');
  expect(await total({ labels: 'blue,None' })).toBe('0');
  // No milestone is called so, and no word either.
  expect(await total({ milestone: '#constructor' })).toBe('0');
  expect(await total({ milestone: '#upcoming' })).toBe('0');
  const both = await app.api<{ id: number }>('POST', `/projects/${other.id}/labels`, {
    token: owner.secret,
    json: { name: 'twice', color: '#112233' },
  });
  const above = await app.api<{ id: number }>('POST', `/groups/${group.id}/labels`, {
    token: owner.secret,
    json: { name: 'twice', color: '#112233' },
  });
  expect([both.status, above.status]).toEqual([201, 201]);
  await create({ title: 'h' }, `/projects/${other.id}/issues`);
  const { id: made } = await app.db
    .selectFrom('issues')
    .select('id')
    .where('project_id', '=', other.id)
    .where('title', '=', 'h')
    .executeTakeFirstOrThrow();
  const links = [both, above].map(({ body }) => ({ issue_id: made, label_id: body.id }));
  await app.db.insertInto('issue_labels').values(links).execute();
  for (const path of [`/groups/${group.id}/issues`, '/issues']) {
    const all = path === '/issues' ? { scope: 'all' } : {};
    expect([path, await total({ labels: 'twice', ...all }, owner, path)]).toEqual([path, '1']);
    expect([path, await total({ labels: 'shared', ...all }, owner, path)]).toEqual([path, '4']);
    expect([path, await total({ labels: 'shared,red', ...all }, owner, path)]).toEqual([path, '2']);
    expect([path, await total({ labels: 'blue', ...all }, owner, path)]).toEqual([path, '4']);
  }
  expect(await total({ labels: 'blue', scope: 'all' }, guest, '/issues')).toBe('3');
  // Of the confidential ones a guest sees their own, others none.
  expect(await total({ labels: 'blue' }, guest)).toBe('3');
  expect(await total({ labels: 'blue' }, null)).toBe('2');
  expect(await total({ labels: 'red,blue' }, null)).toBe('2');
});

it('reports the total on the last page and past it', async () => {
  expect(await total({ labels: 'red', page: 3 })).toBe('3');
  expect(await total({ labels: 'red', page: 4 })).toBe('3');
  expect(await total({ labels: 'red', per_page: 2, page: 2 })).toBe('3');
  expect(await total({ labels: 'red', per_page: 3 })).toBe('3');
  expect(await total({ labels: 'red', per_page: 4 })).toBe('3');
});

it('reports no total of more than 10,000 issues, and counts them by state all the same', async () => {
  const long = await buildProject(app, { namespace: group });
  const insert = (from: number, to: number) =>
    sql`insert into issues (project_id, iid, author_id, title, state)
      select ${long.id}, n, ${owner.user.id}, 'Issue ' || n, case when n % 4 = 0 then 'closed' else 'opened' end
      from generate_series(${from}::int, ${to}) n`.execute(app.db);
  const path = `/projects/${long.id}/issues`;
  await insert(1, 10_000);
  expect(await total({}, owner, path)).toBe('10000');
  await insert(10_001, 10_001);
  expect(await total({}, owner, path)).toBeNull();
  expect(await total({ created_after: '2001-01-01T00:00:00Z' }, owner, path)).toBeNull();
  expect(await total({ state: 'opened' }, owner, path)).toBe('7501');
  expect(await total({ created_after: '2101-01-01T00:00:00Z' }, owner, path)).toBe('0');
  const statistics = await app.api('GET', `/projects/${long.id}/issues_statistics`, { token: owner.secret });
  expect(statistics.body).toEqual({ statistics: { counts: { all: 10_001, closed: 2500, opened: 7501 } } });
  // For another query the list is another one; the same is not counted again for a minute.
  await sql`delete from issues where project_id = ${long.id} and iid > 9000`.execute(app.db);
  expect(await total({}, owner, path)).toBeNull();
  expect(await total({ page: 9000 }, owner, path)).toBe('9000');
  expect(await total({ state: 'opened' }, owner, path)).toBe('6750');
});

it('counts a list that is too long for a total once for all who ask at the same time', async () => {
  const long = await buildProject(app, { namespace: group });
  await sql`insert into issues (project_id, iid, author_id, title)
    select ${long.id}, n, ${owner.user.id}, 'Issue ' || n from generate_series(1, 10100) n`.execute(app.db);
  const place = { kind: 'group', id: group.id, descendants: true, archived: true } as const;
  const query = { caller: admin(), place, filter: {} };
  const plans = await plansOf(app.database, async (db) => {
    const counts = issueCounts(db);
    const asked = Array.from({ length: 8 }, () => counts.count(query));
    expect(await Promise.all(asked)).toEqual(asked.map(() => 10_001));
  });
  expect(plans).toHaveLength(1);
});

it('finds a page of a search in a project and its total at once', async () => {
  const large = await buildProject(app, { namespace: group });
  await sql`insert into issues (project_id, iid, author_id, title, description)
    select ${large.id}, n, ${owner.user.id}, 'Issue ' || n, case when n % 100 = 0 then 'Of a heron' end
    from generate_series(1, 10100) n`.execute(app.db);
  const path = `/projects/${large.id}/issues`;
  const page = async (query: Record<string, unknown>) =>
    (await app.api<{ iid: number }[]>('GET', path, { token: owner.secret, query })).body.map(({ iid }) => iid);
  const herons = { search: 'heron', order_by: 'created_at', sort: 'asc', per_page: 50 };
  expect(await total(herons, owner, path)).toBe('101');
  expect(await page({ ...herons, page: 3 })).toEqual([10_100]);
  expect(await total({ ...herons, page: 9 }, owner, path)).toBe('101');
  expect(await page({ ...herons, page: 9 })).toEqual([]);
  expect(await total({ search: 'heron issue', in: 'description' }, owner, path)).toBe('0');
  // Too many to gather: the page is found along the order, the first time as well as later.
  for (let time = 0; time < 2; time += 1) {
    expect(await total({ search: 'issue' }, owner, path)).toBeNull();
    expect(await page({ search: 'issue', sort: 'asc', per_page: 2, page: 2 })).toEqual([3, 4]);
  }
  const subject = { kind: 'project', project: large, namespace: group, level: Level.owner } as const;
  const list = { caller: admin(), place: { kind: 'project', subject } as const, filter: { search: 'heron' } };
  await sql`analyze issues`.execute(app.db);
  const all = { style: 'offset', limit: 21, offset: 0, after: null } as const;
  const plans = await plansOf(app.database, async (db) => {
    const found = await listIssues(db, { ...list, orderBy: 'created_at', sort: 'desc' }, all, farLists());
    expect([found.rows.length, found.total]).toEqual([21, 101]);
  });
  expect(plans).toHaveLength(1);
  // The index of words is asked for those of the project.
  expect(plans[0]).toMatch(/Index Cond: \(\(project_id = .*\) AND \(description ~~\* '%heron%'::text\)\)/);
});

it.each([
  ['a label', { labels: ['red'] }],
  ['a milestone', { milestone: 'v1' }],
  ['a milestone that is due later', { milestoneId: 'Upcoming' }],
  ['a word', { search: 'heron' }],
  ['an author', { authorId: 1 }],
])(
  'the issues of a group with %s are found without going through its groups for each of them',
  async (_name, filter) => {
    const caller = admin();
    const place = { kind: 'group', id: group.id, descendants: true, archived: true } as const;
    const [plan] = await plansOf(app.database, (db) => countByState(db, { caller, place, filter }));
    // The first of these is the scan of the issues: nothing is joined to it.
    expect(plan).toMatch(
      /^Aggregate[^\n]*\n(?: +InitPlan[\s\S]*?\n)? {2}-> {2}(?:Index Scan[^\n]* on|Bitmap Heap Scan on) issues i /m,
    );
  },
);
