/** Pages in every order, by number and by cursor, are the whole list cut in pieces, where some have no value to compare. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildProject, buildToken } from '../../../../test/factories.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { issueOrders } from './listing.queries.ts';

let app: TestApp;
let owner: BuiltToken;
let projects: readonly Project[];
let groupId: number;
const size = 24;

interface Listed {
  readonly id: number;
  readonly title: string;
  readonly due_date: string | null;
  readonly weight: number | null;
  readonly upvotes: number;
  readonly milestone: { readonly due_date: string | null } | null;
  readonly labels: readonly string[];
}

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user });
  groupId = group.id;
  projects = [await buildProject(app, { namespace: group }), await buildProject(app, { namespace: group })];
  const milestones = await app.db
    .insertInto('milestones')
    .values(
      ['2030-02-01', null, '2030-03-01', '2030-02-01'].map((due_date, at) => ({
        ...{ namespace_id: group.id, title: `m${at}`, iid: at + 1, due_date },
      })),
    )
    .returning('id')
    .execute();
  // A day on which nothing is due but a milestone of the project itself.
  const own = await app.db
    .insertInto('milestones')
    .values(projects.map(({ id }) => ({ project_id: id, title: 'own', iid: 1, due_date: '2030-01-01' })))
    .returning(['id', 'project_id'])
    .execute();
  // Days on which nothing is due: from the first one on there are too many to walk along, from the last one on there are not.
  await app.db
    .insertInto('milestones')
    .values(
      Array.from({ length: 20 }, (_, at) => ({
        ...{ namespace_id: group.id, title: `empty ${at}`, iid: 10 + at, due_date: `2029-01-${10 + at}` },
      })),
    )
    .execute();
  const labels = await app.db
    .insertInto('labels')
    .values(['l0', 'l1', 'l2'].map((title) => ({ namespace_id: group.id, title, color: '#112233' })))
    .returning('id')
    .execute();
  await app.db
    .insertInto('label_priorities')
    .values(
      projects.flatMap(({ id }) =>
        labels.map((label, at) => ({ label_id: label.id, project_id: id, priority: Math.min(at, 1) })),
      ),
    )
    .execute();
  const projectAt = (at: number) => projects[at % 3 === 0 ? 1 : 0];
  const milestoneAt = (at: number) =>
    at % 4 === 2 ? own.find(({ project_id }) => project_id === projectAt(at)?.id) : milestones[at % 4];
  const made = await app.db
    .insertInto('issues')
    .values(
      Array.from({ length: size }, (_, at) => ({
        project_id: projectAt(at)?.id ?? 0,
        iid: at + 1,
        author_id: owner.user.id,
        title: `Title ${(at * 7) % 11}`,
        due_date: at % 2 === 0 ? null : `2031-01-0${1 + (at % 5)}`,
        weight: at % 4 === 0 ? at % 3 : null,
        relative_position: at % 3 === 1 ? 100 - at : null,
        milestone_id: at % 5 === 0 ? null : (milestoneAt(at)?.id ?? null),
      })),
    )
    .returning('id')
    .execute();
  await app.db
    .insertInto('issue_labels')
    .values(
      made.flatMap(({ id }, at) =>
        labels.filter((_, label) => (at >> label) % 2 === 1).map((label) => ({ issue_id: id, label_id: label.id })),
      ),
    )
    .execute();
  const voters = [owner.user, (await buildToken(app)).user];
  await app.db
    .insertInto('award_emoji')
    .values(
      made.flatMap(({ id }, at) =>
        voters.slice(0, at % 3).flatMap((voter) =>
          ['thumbsup', 'thumbsdown'].map((name) => ({
            user_id: voter.id,
            noteable_type: 'issue',
            noteable_id: id,
            name,
          })),
        ),
      ),
    )
    .execute();
});
afterAll(() => app.close());

const call = async (path: string, query: object) => {
  const answer = await app.api<Listed[]>('GET', path, { token: owner.secret, query: { ...query } });
  expect(answer.status).toBe(200);
  return answer;
};

/** Empty ones last, then the id in the same direction: what the documentation of the orders says. */
const compared: Readonly<Record<string, (issue: Listed) => readonly (string | number | null)[]>> = {
  due_date: (issue) => [issue.due_date],
  weight: (issue) => [issue.weight],
  title: (issue) => [issue.title.toLowerCase()],
  milestone_due: (issue) => [issue.milestone?.due_date ?? null],
  popularity: (issue) => [issue.upvotes],
  label_priority: (issue) => [rankOf(issue)],
  priority: (issue) => [issue.milestone?.due_date ?? null, rankOf(issue)],
};
const rankOf = ({ labels }: Listed) =>
  labels.includes('l0') ? 0 : labels.includes('l1') || labels.includes('l2') ? 1 : null;

function ordered(issues: readonly Listed[], order: string, sort: 'asc' | 'desc'): number[] {
  const sign = sort === 'asc' ? 1 : -1;
  const values = (issue: Listed) => [...(compared[order]?.(issue) ?? []), issue.id];
  return [...issues]
    .sort((a, b) => {
      const [left, right] = [values(a), values(b)];
      for (const [at, one] of left.entries()) {
        const other = right[at] ?? null;
        if (one === other) continue;
        if (one === null) return 1;
        if (other === null) return -1;
        return one < other ? -sign : sign;
      }
      return 0;
    })
    .map(({ id }) => id);
}

it.each(issueOrders.flatMap((order) => (['asc', 'desc'] as const).map((sort) => [order, sort] as const)))(
  '[2/api.issues/21] %s %s',
  async (order_by, sort) => {
    for (const path of [`/projects/${projects[0]?.id}/issues`, '/issues?scope=all', `/groups/${groupId}/issues`]) {
      const query = { order_by, sort };
      const all = (await call(path, { ...query, per_page: 100 })).body;
      const ids = all.map(({ id }) => id);
      expect(ids.length).toBe(path.startsWith('/projects') ? 16 : size);
      if (compared[order_by]) expect(ids).toEqual(ordered(all, order_by, sort));
      const numbered: number[] = [];
      for (let page = 1; page <= Math.ceil(ids.length / 5) + 1; page += 1)
        numbered.push(...(await call(path, { ...query, per_page: 5, page })).body.map(({ id }) => id));
      expect(numbered).toEqual(ids);
      const walked: number[] = [];
      for (let cursor: string | undefined; ; ) {
        const keyset = { pagination: 'keyset', per_page: 5, ...(cursor ? { cursor } : {}) };
        const answer = await call(path, { ...query, ...keyset });
        walked.push(...answer.body.map(({ id }) => id));
        cursor = /cursor=([^&>]+)/.exec(String(answer.headers.get('link') ?? ''))?.[1];
        if (!cursor) break;
      }
      expect(walked).toEqual(ids);
    }
  },
);

it.each([
  ...[{ labels: 'l0,l1' }, { labels: 'l1' }, { 'not[labels]': 'l2' }, { labels: 'None' }],
  ...[{ milestone: 'm0' }, { milestone: 'own' }, { weight: 1 }],
])('%j: pages that the next issues of the order fill are the whole list cut in pieces', async (filter) => {
  for (const path of [`/projects/${projects[0]?.id}/issues`, '/issues?scope=all', `/groups/${groupId}/issues`])
    for (const order_by of ['created_at', 'title', 'popularity']) {
      const query = { ...filter, order_by };
      const ids = (await call(path, { ...query, per_page: 100 })).body.map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(1);
      const pages: number[] = [];
      for (let page = 1; page <= ids.length; page += 1)
        pages.push(...(await call(path, { ...query, per_page: 1, page })).body.map(({ id }) => id));
      expect(pages).toEqual(ids);
    }
});

it('[2/api.issues/14] filters that are empty narrow nothing, and ids that nothing has find nothing', async () => {
  const path = `/projects/${projects[0]?.id}/issues`;
  const found = async (query: object) => (await call(path, query)).body.map(({ id }) => id);
  const all = await found({});
  for (const name of ['assignee_id', 'weight', 'epic_id', 'iteration_id'])
    expect([name, await found({ [name]: '' })]).toEqual([name, all]);
  for (const query of [{ assignee_id: 0 }, { assignee_id: -1 }, { weight: -1 }, { iteration_id: 0 }])
    expect([query, await found(query)]).toEqual([query, []]);
});

it('pages of a group are found behind thousands of other issues that come before them', async () => {
  const group = await buildGroup(app, { owner: owner.user });
  const [here, elsewhere] = [await buildProject(app, { namespace: group }), await buildProject(app)];
  await sql`insert into issues (project_id, iid, author_id, title, created_at, updated_at, upvotes_count)
    select ${here.id}, n, ${owner.user.id}, 'Far ' || n % 7, now() - make_interval(days => 30, secs => (n * 31) % 53),
      now() - make_interval(days => 20, secs => (n * 17) % 59), n % 5
    from generate_series(1, 60) n`.execute(app.db);
  const { body: all } = await call(`/projects/${here.id}/issues`, { per_page: 100, search: 'far' });
  // More than are looked through, in every order.
  await sql`insert into issues (project_id, iid, author_id, title, created_at, updated_at, upvotes_count)
    select ${elsewhere.id}, n, ${owner.user.id}, case when n % 2 = 0 then 'Aa' else 'Zz' end,
      now() - make_interval(days => case when n % 2 = 0 then 0 else 60 end), now(), case when n % 2 = 0 then 9 else -1 end
    from generate_series(1, 8200) n`.execute(app.db);
  expect(all).toHaveLength(60);
  type Dated = Listed & { readonly iid: number; readonly created_at: string; readonly updated_at: string };
  const values: Readonly<Record<string, (issue: Dated) => number | string>> = {
    created_at: (issue) => issue.created_at,
    updated_at: (issue) => issue.updated_at,
    popularity: (issue) => issue.iid % 5,
    title: (issue) => issue.title,
  };
  for (const [order_by, of] of Object.entries(values))
    for (const sort of ['asc', 'desc'] as const) {
      const value = (issue: Listed) => of(issue as Dated);
      const sign = sort === 'asc' ? 1 : -1;
      const expected = [...all].sort((a, b) =>
        value(a) === value(b) ? sign * (a.id - b.id) : value(a) < value(b) ? -sign : sign,
      );
      const found: Listed[] = [];
      for (const page of [1, 2, 3, 4])
        found.push(
          ...(await call(`/groups/${group.id}/issues`, { order_by, sort, search: 'far', per_page: 20, page })).body,
        );
      expect([order_by, sort, found.map(({ id }) => id)]).toEqual([order_by, sort, expected.map(({ id }) => id)]);
    }
});
