/** Keyset lists while others write: every row that was there all the time is seen once. And their indexes. Slow: page by page, every list. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildGroup, buildProject, buildUser, unique } from '../test/factories.ts';
import { plansOf, seed } from '../test/plans.queries.ts';
import { type Populated, startPopulated } from '../test/populated.ts';
import { jobOrder, listJobs } from './features/ci/jobs/jobs.queries.ts';
import { listPipelines } from './features/ci/pipelines/pipelines.queries.ts';
import { jobsOfRunner } from './features/ci/runners/runners.queries.ts';
import { userOrder } from './features/identity/users/users.queries.ts';
import { listGroups } from './features/namespaces/groups/listing.queries.ts';
import { walkedPage } from './features/namespaces/projects/listing.queries.ts';
import { listRows } from './features/review/merge-requests/listing.queries.ts';
import type { Page } from './kernel/http/pagination.ts';

let world: Populated;
beforeAll(async () => {
  world = await startPopulated();
}, 600_000);
afterAll(() => world.close());

type Item = Readonly<Record<string, unknown>>;

interface List {
  readonly target: string;
  /** What tells a row. */
  readonly key: string;
  /** Adds a row that was not there; `at` differs per call, so that new rows land in all places of the order. */
  add(at: number): Promise<string>;
  remove(key: string): Promise<unknown>;
}

const prefixes = ['a', 'z', 'm', 'B', '0', 'Y'];
const named = (at: number) => unique(`${prefixes[at % prefixes.length]}-new`);
/** Low ids lie before every other row, which rows inserted in order never do. */
const removed = async (table: 'users' | 'projects' | 'namespaces' | 'jobs', key: string) =>
  await world.app.db.deleteFrom(table).where('id', '=', Number(key)).execute();

async function addJob(at: number): Promise<string> {
  const { app, project } = world;
  const job = await app.db
    .selectFrom('jobs')
    .selectAll()
    .where('project_id', '=', project.id)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  const row = await app.db
    .insertInto('jobs')
    .values({
      project_id: job.project_id,
      pipeline_id: job.pipeline_id,
      name: named(at),
      stage: job.stage,
      stage_index: job.stage_index,
      status: 'created',
      ref: job.ref,
      plan: JSON.stringify(job.plan),
      runner_id: job.runner_id,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return String(row.id);
}

function lists(): List[] {
  const { app, repository, project, admin } = world;
  const projectRows = {
    key: 'id',
    add: async (at: number) =>
      String((await buildProject(app, { owner: admin.user, path: named(at), visibility: 'public' })).id),
    remove: (key: string) => removed('projects', key),
  };
  const jobRows = { key: 'id', add: addJob, remove: (key: string) => removed('jobs', key) };
  const groupRows = {
    key: 'id',
    add: async (at: number) => String((await buildGroup(app, { path: named(at), visibility: 'public' })).id),
    remove: (key: string) => removed('namespaces', key),
  };
  const refs = (kind: 'branches' | 'tags') => ({
    key: 'name',
    add: async (at: number) => {
      const name = named(at);
      const json = kind === 'branches' ? { branch: name, ref: 'main' } : { tag_name: name, ref: 'main' };
      expect((await repository.api('POST', `/repository/${kind}`, { json })).status).toBe(201);
      return name;
    },
    remove: (key: string) => repository.api('DELETE', `/repository/${kind}/${encodeURIComponent(key)}`),
  });
  const entries = {
    key: 'path',
    add: async (at: number) => {
      const path = at % 2 === 0 ? `${named(at)}.txt` : named(at);
      await repository.commit('main', { [at % 2 === 0 ? path : `${path}/inner.txt`]: 'x' });
      return path;
    },
    remove: (key: string) => {
      const path = key.endsWith('.txt') ? key : `${key}/inner.txt`;
      return repository.commit('main', [{ action: 'delete', file_path: path }]);
    },
  };
  const ofProject = `/projects/${project.id}`;
  return [
    ...['id', 'name', 'username', 'created_at', 'updated_at'].flatMap((order) =>
      ['asc', 'desc'].map((sort) => ({
        target: `/users?order_by=${order}&sort=${sort}`,
        key: 'id',
        add: async (at: number) => String((await buildUser(app, { username: named(at) })).id),
        remove: async (key: string) => {
          await app.db.deleteFrom('namespaces').where('owner_id', '=', Number(key)).execute();
          await removed('users', key);
        },
      })),
    ),
    ...['name', 'path', 'id'].flatMap((order) =>
      ['asc', 'desc'].map((sort) => ({ target: `/groups?order_by=${order}&sort=${sort}`, ...groupRows })),
    ),
    { target: '/projects?order_by=id&sort=asc', ...projectRows },
    { target: '/projects?order_by=id', ...projectRows },
    { target: `${ofProject}/jobs?`, ...jobRows },
    { target: `${ofProject}/jobs?sort=asc`, ...jobRows },
    { target: `${world.pathOf({ path: '/runners/:id/jobs' })}?`, ...jobRows },
    { target: `${ofProject}/repository/branches?`, ...refs('branches') },
    { target: `${ofProject}/repository/branches?sort=updated_desc`, ...refs('branches') },
    { target: `${ofProject}/repository/tags?`, ...refs('tags') },
    { target: `${ofProject}/repository/tags?order_by=version&sort=asc`, ...refs('tags') },
    { target: `${ofProject}/repository/tree?`, ...entries },
    { target: `${ofProject}/repository/tree?recursive=true`, ...entries },
  ];
}

describe('[1/limits.pagination/5] while rows come and go', () => {
  it('a keyset list shows every row that stays exactly once', async () => {
    for (const list of lists()) {
      const { token } = { token: world.admin.secret };
      // Rows that will go after they were shown, among those that stay.
      const own = [await list.add(0), await list.add(1), await list.add(2)];
      const get = (target: string) => world.app.request<Item[]>('GET', target, { token });
      const keysOf = (items: readonly Item[]) => items.map((item) => String(item[list.key]));
      const before = keysOf((await get(`/api/v4${list.target}&pagination=keyset&per_page=100`)).body);
      const staying = new Set(before.filter((key) => !own.includes(key)));
      expect(staying.size, list.target).toBeGreaterThan(2);
      const seen: string[] = [];
      let target: string | undefined = `/api/v4${list.target}&pagination=keyset&per_page=3`;
      for (let at = 0; target && at < 60; at += 1) {
        const page: Awaited<ReturnType<typeof get>> = await get(target);
        expect([list.target, page.status]).toEqual([list.target, 200]);
        const keys = keysOf(page.body);
        seen.push(...keys);
        target = /<[^>]*?(\/api\/v4[^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
        // The row at which the next page starts is removed where that is ours to do.
        for (const key of own.filter((each) => keys.includes(each))) {
          await list.remove(key);
          own.splice(own.indexOf(key), 1);
        }
        if (at < 4) own.push(await list.add(at + 3));
      }
      for (const key of own) await list.remove(key);
      expect(seen.filter((key) => staying.has(key)).sort(), list.target).toEqual([...staying].sort());
      expect(new Set(seen).size, list.target).toBe(seen.length);
    }
  }, 600_000);

  it('a token whose ref or entry is gone continues after its place; one that says nothing is refused', async () => {
    const { repository } = world;
    const names = async (target: string, query: Item) => {
      const got = await repository.api<Item[]>('GET', target, {
        query: { pagination: 'keyset', per_page: 100, ...query },
      });
      return got.status === 200 ? got.body.map((item) => item.name) : got.status;
    };
    const branches = (await names('/repository/branches', {})) as string[];
    expect(await names('/repository/branches', { page_token: branches[1] })).toEqual(branches.slice(2));
    expect(await names('/repository/branches', { page_token: `${branches[1]}!` })).toEqual(branches.slice(2));
    const dated = (await names('/repository/branches', { sort: 'updated_asc' })) as string[];
    expect(await names('/repository/branches', { sort: 'updated_asc', page_token: dated[0] })).toEqual(dated.slice(1));
    expect(await names('/repository/branches', { sort: 'updated_asc', page_token: 'gone' })).toBe(400);
    const tree = await repository.api<Item[]>('GET', '/repository/tree', { query: { per_page: 100 } });
    const paths = tree.body.map((item) => item.name);
    expect(await names('/repository/tree', { page_token: tree.body[1]?.id })).toEqual(paths.slice(2));
    expect(await names('/repository/tree', { page_token: '0'.repeat(40) })).toBe(400);
  });

  it('a tree is answered whole with pagination=none', async () => {
    const got = await world.repository.api<Item[]>('GET', '/repository/tree', {
      query: { pagination: 'none', per_page: 1, recursive: true },
    });
    expect(got.status).toBe(200);
    expect(got.body.length).toBeGreaterThan(3);
    expect([got.headers.get('link'), got.headers.get('x-total')]).toEqual([null, null]);
  });
});

const keyset = (after: Page['after']): Page => ({
  style: 'keyset',
  page: 1,
  perPage: 20,
  offset: 0,
  limit: 21,
  after,
  token: null,
});
const offset: Page = { ...keyset(null), style: 'offset' };

describe('[1/limits.pagination/5] hot lists are read from their index, page by page', () => {
  const noSort = (plan: string | undefined) => {
    expect(plan).toMatch(/Index (Only )?Scan/);
    expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort {2}\(/);
  };

  it('jobs, of a project and of a runner', async () => {
    const { app, project } = world;
    await seed(app.database, 'analyze jobs');
    const filter = { projectId: project.id, kind: 'job' as const, statuses: [], includeRetried: true };
    for (const direction of ['asc', 'desc'] as const) {
      const [first] = await plansOf(app.database, (db) => listJobs(db, filter, keyset(null), direction));
      const [later] = await plansOf(app.database, (db) => listJobs(db, filter, keyset({ id: 5 }), direction));
      noSort(first);
      noSort(later);
      const viewer = { userId: 1, admin: true };
      const [ofRunner] = await plansOf(app.database, (db) =>
        jobsOfRunner(db, 1, viewer, { direction }, keyset({ id: 5 })),
      );
      noSort(ofRunner);
    }
    expect(jobOrder('asc').cursorOf({ id: 7 })).toEqual({ id: 7 });
  });

  it('projects by id, groups by name and path, users in every order', async () => {
    const { app, admin } = world;
    const caller = { user: admin.user, credential: { kind: 'none' }, scopes: null, admin: true } as const;
    const window = { direction: 'desc', limit: 21, offset: 0 } as const;
    const [projects] = await plansOf(app.database, (db) =>
      walkedPage(db, caller, {}, { ...window, order: 'id', after: { id: 5 } }),
    );
    expect(projects).toMatch(/projects_pkey/);
    for (const order of ['name', 'path'] as const) {
      const [groups] = await plansOf(app.database, (db) =>
        listGroups(db, caller, {}, { ...window, order, after: { [order]: 'x', id: 5 } }, { counted: false }),
      );
      expect(groups).toMatch(new RegExp(`namespaces_${order}`));
      noSort(groups);
    }
    expect(userOrder('created_at', 'asc').cursorOf(admin.user)).toEqual({
      created_at: admin.user.created_at.toISOString(),
      id: admin.user.id,
    });
  });

  it('pipelines and merge requests of a project, in their usual orders', async () => {
    const { app, project } = world;
    for (const by of ['id', 'updated_at'] as const) {
      const plans = await plansOf(app.database, (db) =>
        listPipelines(db, { projectId: project.id }, { by, direction: 'desc' }, offset),
      );
      expect(plans.find((plan) => plan.includes('Limit') && !plan.includes('Aggregate'))).not.toMatch(
        /Seq Scan|(?<!Incremental )Sort {2}\(/,
      );
    }
    for (const orderBy of ['created_at', 'updated_at', 'merged_at', 'title'] as const) {
      const filter = { projectId: project.id, state: 'all', orderBy, sort: 'desc' } as const;
      const [plan] = await plansOf(app.database, (db) => listRows(db, filter, offset));
      expect(plan).toMatch(/merge_requests_project/);
      noSort(plan);
    }
  });
});
