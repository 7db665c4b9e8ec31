/** Every list of the API, walked: generated from the declarations of the routes, so that a new list is covered by being there. Slow: page by page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Populated, startPopulated } from '../test/populated.ts';
import { failJob } from '../test/queue.queries.ts';
import { sampled, severalAtOnce } from '../test/sampling.ts';
import type { Route } from './kernel/http/route.ts';
import { addJob, listJobs } from './kernel/queue/index.ts';

let world: Populated;
/** Without searches, which need a term: search.test.ts walks those. */
let lists: readonly Route[];
beforeAll(async () => {
  world = await startPopulated();
  lists = world.app.routes.filter(
    ({ path, pagination, method }) => pagination !== undefined && method === 'GET' && !path.endsWith('/search'),
  );
  for (const number of [1, 2, 3]) {
    await addJob(
      world.app.db,
      { name: 'test.paged' },
      {},
      { jobKey: `paged-${number}`, runAt: new Date(Date.now() + 3_600_000) },
    );
    const [added] = await listJobs(world.app.db, 'delayed', { limit: 1, offset: 0 });
    await failJob(world.app.db, added?.id ?? 0, 'it broke');
  }
}, 600_000);
afterAll(() => world.close());

/** Lists without a row in the populated instance; their headers are checked all the same. */
const empty = [
  '/admin/backups',
  '/projects/:id/issues/:issue_iid/related_merge_requests',
  '/projects/:id/merge_requests/:merge_request_iid/context_commits',
  '/projects/:id/deployments/:deployment_id/merge_requests',
  '/projects/:id/resource_groups/:key/upcoming_jobs',
  '/projects/:id/pipelines/:pipeline_id/bridges',
  '/projects/:id/merge_requests/:merge_request_iid/blockees',
  '/projects/:id/merge_requests/:merge_request_iid/closes_issues',
  '/projects/:id/merge_requests/:merge_request_iid/related_issues',
  '/projects/:id/issues/:issue_iid/closed_by',
  '/projects/:id/vulnerability_findings',
  '/groups/:id/milestones/:milestone_id/burndown_events',
  '/projects/:id/milestones/:milestone_id/burndown_events',
];
/** History is never counted. */
const uncounted = new Set(['/projects/:id/repository/commits']);

type Item = Readonly<Record<string, unknown>>;
interface Got {
  readonly status: number;
  readonly items: readonly Item[];
  readonly headers: Headers;
  readonly links: Readonly<Record<string, string>>;
}

const kept = 'note=a%20b&list[]=z&list[]=a';
/** What tells the items of each list apart. */
const names = 'id iid key environment_scope type name path new_path source_id source_type username cn'.split(' ');
const same = (item: Item) => JSON.stringify(names.map((key) => item[key]));
const linksOf = (headers: Headers) =>
  Object.fromEntries(
    [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)].map(([, url, rel]) => [
      rel ?? '',
      url ?? '',
    ]),
  );

// What was left out of a transfer is told by the number of its row.
names.push('source_title');
// Stars have nothing of their own but their date.
names.push('starred_since');
// Comments of commits have no ids in their own list.
names.push('note');
// Reviewers are told by who they are.
names.push('user');
// Velocity is told by its iteration.
names.push('iteration');

const person = () => ({ 'PRIVATE-TOKEN': world.admin.secret, Cookie: world.cookie });

/** Follows a URL as it is, as a client does. */
async function follow(url: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Got> {
  if (!url.startsWith(`${world.app.url}/api/v4/`)) throw new Error(`${url} is elsewhere`);
  const answer = await fetch(url, { method, headers: person() });
  const text = await answer.text();
  const body: unknown = text === '' ? [] : JSON.parse(text);
  const items = Array.isArray(body) ? (body as Item[]) : [];
  return { status: answer.status, items, headers: answer.headers, links: linksOf(answer.headers) };
}
/** The queue changes by itself, but for what has failed for good. */
const still: Readonly<Record<string, string>> = { '/admin/background_jobs': '&status=failed' };
const urlOf = (route: Route, query: string) =>
  `${world.app.url}/api/v4${world.pathOf(route)}?${kept}${still[route.path] ?? ''}&${query}`;
const start = (route: Route, query: string) => follow(urlOf(route, query));

/** Runs a check on each list, or on those of this run's part, and answers what was wrong where. */
async function wrongIn(some: readonly Route[], check: (route: Route) => Promise<void>): Promise<string[]> {
  const wrong: string[] = [];
  await severalAtOnce(sampled(some), (route) =>
    check(route).catch((error: Error) => void wrong.push(`${route.path}: ${error.message.slice(0, 600)}`)),
  );
  return wrong;
}

/** All pages by `next`, with what each must satisfy. */
async function walk(first: Got, each: (got: Got, number: number) => void): Promise<Item[]> {
  const items: Item[] = [];
  let got: Got | null = first;
  for (let number = 1; got; number += 1) {
    expect(got.status).toBe(200);
    each(got, number);
    items.push(...got.items);
    if (number > 300) throw new Error('no end');
    got = got.links.next === undefined ? null : await follow(got.links.next);
  }
  return items;
}

function keepsParameters(got: Got): void {
  for (const link of Object.values(got.links)) {
    const { searchParams } = new URL(link);
    expect([searchParams.get('note'), searchParams.getAll('list[]')]).toEqual(['a b', ['z', 'a']]);
  }
}

const numbered = () => lists.filter(({ pagination }) => pagination !== 'keyset');
const keyed = () => lists.filter(({ pagination }) => pagination !== 'offset');

describe('every list of the API', () => {
  it('[1/limits.pagination/1] [1/limits.pagination/3] [1/limits.pagination/3 prev] [1/limits.pagination/3 next] [1/limits.pagination/3 first] [1/limits.pagination/3 last] pages by number: one big page is all small ones, and the numbers fit', async () => {
    const none: string[] = [];
    const wrong = await wrongIn(numbered(), async (route) => {
      const all = await start(route, 'per_page=100');
      expect(all.status).toBe(200);
      const count = all.items.length;
      const total = uncounted.has(route.path) ? null : String(count);
      if (count === 0) none.push(route.path);
      else expect(count).toBeGreaterThan(2);
      expect([all.headers.get('x-total'), all.headers.get('x-total-pages')]).toEqual([total, total && '1']);
      const walked = await walk(await start(route, 'per_page=1'), (got, number) => {
        keepsParameters(got);
        const more = number < count;
        expect(
          ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total'].map((name) => got.headers.get(name)),
        ).toEqual([String(number), '1', more ? String(number + 1) : '', number > 1 ? String(number - 1) : '', total]);
        const pages = Object.fromEntries(
          Object.entries(got.links).map(([rel, link]) => [rel, new URL(link).searchParams.get('page')]),
        );
        expect(pages).toEqual({
          first: '1',
          ...(number > 1 ? { prev: String(number - 1) } : {}),
          ...(more ? { next: String(number + 1) } : {}),
          // Without a total the last page is known where it is reached.
          ...(total === null && more ? {} : { last: String(Math.max(1, count)) }),
        });
      });
      expect(walked.map(same)).toEqual(all.items.map(same));
      expect(new Set(walked.map(same)).size).toBe(count);
    });
    expect(wrong).toEqual([]);
    const some = new Set(sampled(numbered()).map(({ path }) => path));
    expect(none.sort()).toEqual(empty.filter((path) => some.has(path)).sort());
  }, 600_000);

  it('[1/limits.pagination/2 page] [1/limits.pagination/2 per_page] [1/limits.pagination/6] 20 by default, 100 at most, refused below 1; beyond the end it is empty', async () => {
    const wrong = await wrongIn(lists, async (route) => {
      const status = async (query: string) => (await start(route, query)).status;
      for (const bad of ['page=0', 'page=-1', 'page=x', 'page=1.5', 'per_page=0', 'per_page=-5', 'per_page=all'])
        expect([bad, await status(bad)]).toEqual([bad, 400]);
      expect((await start(route, '')).headers.get('x-per-page')).toBe('20');
      expect((await start(route, 'per_page=101')).headers.get('x-per-page')).toBe('100');
      if (route.pagination === 'keyset') return;
      const far = await start(route, 'page=400&per_page=100');
      expect([far.status, far.items, far.headers.get('x-page'), far.headers.get('x-next-page')]).toEqual([
        200,
        [],
        '400',
        '',
      ]);
      expect(Object.keys(far.links)).toContain('first');
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  it('[1/limits.pagination/3] HEAD has the headers of GET', async () => {
    const wrong = await wrongIn(lists, async (route) => {
      const url = urlOf(route, 'per_page=1');
      const shown = ({ headers }: Got) =>
        [...headers].filter(([name]) => name === 'link' || (name.startsWith('x-') && name !== 'x-request-id'));
      const [got, head] = [await follow(url), await follow(url, 'HEAD')];
      expect([head.status, head.items]).toEqual([200, []]);
      expect(shown(head)).toEqual(shown(got));
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  it('[1/limits.pagination/4] offsets past the maximum are refused everywhere, at the value that is set', async () => {
    await world.app.settings.write({ offset_pagination_limit: 30 });
    try {
      const wrong = await wrongIn(numbered(), async (route) => {
        expect((await start(route, 'page=3&per_page=10')).status).toBe(200);
        const url = `${world.app.url}/api/v4${world.pathOf(route)}?page=4&per_page=10`;
        const answer = await fetch(url, { headers: person() });
        expect(answer.status).toBe(405);
        const { error } = (await answer.json()) as { error: string };
        expect(error).toContain('maximum allowed offset of 30 ');
        expect(error.includes('keyset pagination')).toBe(route.pagination !== 'offset');
      });
      expect(wrong).toEqual([]);
      await world.app.settings.write({ offset_pagination_limit: 0 });
      const [route] = numbered();
      expect(route && (await start(route, 'page=90000&per_page=100')).status).toBe(200);
    } finally {
      await world.app.settings.write({ offset_pagination_limit: 50_000 });
    }
  }, 600_000);

  it('[1/limits.pagination/5] keyset pages: the same rows once each, a next link and nothing else', async () => {
    const wrong = await wrongIn(keyed(), async (route) => {
      const all = await walk(await start(route, 'pagination=keyset&per_page=100'), (got) => {
        expect(Object.keys(got.links)).toEqual(got.items.length === 100 && got.links.next ? ['next'] : []);
      });
      expect(all.length).toBeGreaterThan(2);
      const walked = await walk(await start(route, 'pagination=keyset&per_page=1'), (got) => {
        keepsParameters(got);
        expect(got.items.length).toBe(1);
        expect(got.headers.get('x-per-page')).toBe('1');
        for (const name of ['x-total', 'x-total-pages', 'x-page', 'x-next-page', 'x-prev-page'])
          expect(got.headers.get(name)).toBeNull();
        expect(Object.keys(got.links)).toEqual(got.links.next ? ['next'] : []);
        const { searchParams } = new URL(got.links.next ?? 'http://none.test');
        const cursor = route.pagination === 'token' ? null : searchParams.get('cursor');
        expect(got.headers.get('x-next-cursor')).toBe(cursor);
      });
      expect(walked.map(same)).toEqual(all.map(same));
      expect(new Set(walked.map(same)).size).toBe(walked.length);
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  it('[1/limits.pagination/5] security rule 4: a hostile cursor is 400 and never a fault', async () => {
    const texts = ['x', '!!', '0', '🏭', 'a'.repeat(3000)];
    const values: readonly unknown[] = [
      null,
      [],
      'x',
      7,
      {},
      { id: 'x' },
      { id: null },
      { id: 1.5 },
      { id: 2 ** 53 },
      { id: 1, more: 1 },
      { id: {} },
      { name: 'a\0b', id: 1 },
      { name: 7, id: 1 },
      { created_at: 'tomorrow', id: 1 },
      { __proto__: { id: 1 }, ids: 1 },
      { created_at: '0000-01-01T00:00:00.000Z', id: 1 },
      { path: 1, tree: 1 },
      { path: 'x', tree: 2 },
    ];
    const hostile = [...texts, ...values.map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))];
    const wrong = await wrongIn(keyed(), async (route) => {
      const name = route.pagination === 'token' ? 'page_token' : 'cursor';
      for (const text of hostile) {
        const got = await start(route, `pagination=keyset&${name}=${encodeURIComponent(text)}`);
        // Names of branches and tags are tokens, whether the ref exists or not.
        const named = /branches$/.test(route.path);
        expect([text, got.status]).toEqual([text, named ? 200 : 400]);
      }
    });
    expect(wrong).toEqual([]);
  }, 600_000);

  it('[1/limits.pagination/5] orders that keyset pages do not have are 405', async () => {
    for (const target of [
      '/projects?pagination=keyset&order_by=name',
      '/groups?pagination=keyset&order_by=similarity',
      `/projects/${world.project.id}/jobs?pagination=keyset&order_by=name`,
    ]) {
      const answer = await world.app.api('GET', target, { token: world.admin.secret });
      expect([answer.status, answer.body]).toEqual([
        405,
        { error: 'Keyset pagination is not yet available for this type of request' },
      ]);
    }
  });

  it('[1/limits.pagination/5] keyset pages show nobody a row that their list does not have', async () => {
    // The cursors of the administrator, whose lists are longer, given to an anonymous caller.
    for (const target of ['/projects', '/groups', `/projects/${world.project.id}/jobs`]) {
      const own = await world.app.api<Item[]>('GET', `${target}?per_page=100`);
      const seen = new Set(own.body.map(same));
      let url: string | undefined = `${world.app.url}/api/v4${target}?pagination=keyset&per_page=1`;
      while (url) {
        const theirs: Got = await follow(url);
        const answer = await fetch(url);
        for (const item of (await answer.json()) as Item[])
          expect([url, same(item), seen.has(same(item))]).toEqual([url, same(item), true]);
        url = theirs.links.next;
      }
    }
  });
});
