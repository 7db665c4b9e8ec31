/** Lists, search and creation of very many issues: `npm run bench -- --only issues --seeded DIR` (see `npm run seed -- --issues N`). */
import { type Ask, load, quantile, send } from '../load.ts';
import { startInstance, token } from '../process.ts';
import { below, type Row } from '../report.ts';
import { connect, type Target } from '../target.ts';

interface Where {
  readonly directory: string;
  readonly seconds: number;
  /** Only rows with this in their name. */
  readonly match: string;
  add(row: Row): void;
}

/** What the issue of this part asks for: at so many connections. */
const connections = 16;

/** Lists with one filter or order, below `/projects/:id/issues` or `/issues`; what they ask for varies from one to the next. */
const lists: Readonly<Record<string, (at: number) => string>> = {
  'first page': () => '',
  'state=opened': () => 'state=opened',
  'labels=': (at) => `labels=label%20${1 + (at % 20)}`,
  'labels=, two': (at) => `labels=label%20${1 + (at % 20)},label%20${1 + ((at * 7 + 1) % 20)}`,
  'labels=None': () => 'labels=None',
  'not[labels]': (at) => `not[labels]=label%20${1 + (at % 20)}`,
  'milestone=': (at) => `milestone=milestone%20${1 + (at % 5)}`,
  'milestone=None': () => 'milestone=None',
  'milestone_id=Upcoming': () => 'milestone_id=Upcoming',
  'assignee_id=': (at) => `assignee_id=${3 + at * 31}`,
  'assignee_id=None': () => 'assignee_id=None',
  'assignee_username[]': (at) => `assignee_username[]=person${at * 31}`,
  'author_id=': (at) => `author_id=${3 + at}`,
  'author_username=': (at) => `author_username=person${at}`,
  'weight=': (at) => `weight=${at % 13}`,
  'confidential=true': () => 'confidential=true',
  'due_date=overdue': () => 'due_date=overdue',
  'created_after=': (at) => `created_after=${new Date(Date.now() - (1 + at) * 60_000).toISOString()}`,
  'updated_before=': (at) => `updated_before=${new Date(Date.now() - (1 + at) * 3_600_000).toISOString()}`,
  'my_reaction_emoji=': () => 'my_reaction_emoji=thumbsup',
  'order_by=updated_at': () => 'order_by=updated_at',
  'order_by=due_date': () => 'order_by=due_date',
  'order_by=weight': () => 'order_by=weight',
  'order_by=relative_position': () => 'order_by=relative_position&sort=asc',
  'order_by=title': () => 'order_by=title',
  'order_by=popularity': () => 'order_by=popularity',
  'order_by=label_priority': () => 'order_by=label_priority',
  'order_by=milestone_due': () => 'order_by=milestone_due',
  'order_by=priority': () => 'order_by=priority',
};
/** Ends of md5 sums are in few issues, `heron` in one of a thousand, `pump` in one of eight. */
const searches: Readonly<Record<string, (at: number) => string>> = {
  'search, rare': (at) => `search=${(at * 2_654_435_761).toString(16).slice(0, 4)}a`,
  'search, one of 1,000': () => 'search=heron',
  'search, one of 8': () => 'search=pump',
  'search, nothing': () => 'search=zyzzyva',
};

/** The link to the page after a deep one, by keyset: pages are followed, as nobody can name the cursor of a page. */
async function deepPath(target: Target, path: string, pages: number): Promise<string> {
  let next = `/api/v4${path}?pagination=keyset&order_by=created_at&per_page=100`;
  for (let page = 0; page < pages; page += 1) {
    const response = await fetch(`${target.url}${next}`, { headers: { 'PRIVATE-TOKEN': token } });
    await response.arrayBuffer();
    const link = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    if (link === undefined) throw new Error(`no page after ${page} of ${path}`);
    const { pathname, search } = new URL(link);
    next = `${pathname}${search}`;
  }
  return next;
}

export async function issues(where: Where): Promise<void> {
  const instance = await startInstance(where.directory);
  try {
    const target = connect('ours', instance.url, token);
    const base = new URL(target.url);
    // The project with the most issues is the first that was seeded.
    const found = await target.call<{ id: number }[]>('GET', '/projects?order_by=id&sort=asc&search=-1&per_page=1');
    const project = found[0]?.id;
    if (project === undefined) throw new Error('the instance is not seeded');
    const places = { 'one project': `/projects/${project}/issues`, instance: '/issues' };
    const row = async (name: string, paths: readonly Ask[], what: 'p95' | 'p99', limit: number) => {
      if (!name.includes(where.match)) return;
      const { rate, p50, p95, p99 } = await load(target.url, token, paths, { connections, seconds: where.seconds });
      const figure = { rate, p50, p95, p99 };
      where.add({ name, ours: figure, goal: below(limit, what, figure) });
    };
    const asksOf = (path: string, query: (at: number) => string): Ask[] =>
      Array.from({ length: 200 }, (_none, at) => ({
        path: `/api/v4${path}?${query(at)}${path === '/issues' ? '&scope=all' : ''}`,
      }));
    for (const [place, path] of Object.entries(places)) {
      for (const [name, query] of Object.entries(lists)) await row(`${place}: ${name}`, asksOf(path, query), 'p99', 60);
      for (const [name, query] of Object.entries(searches))
        await row(`${place}: ${name}`, asksOf(path, query), 'p95', 150);
    }
    if ('keyset'.includes(where.match)) {
      const first = `/api/v4${places['one project']}?pagination=keyset&order_by=created_at&per_page=20`;
      const deep = (await deepPath(target, places['one project'], 500)).replace('per_page=100', 'per_page=20');
      const times: Record<'first' | 'deep', number[]> = { first: [], deep: [] };
      for (let round = 0; round < 100; round += 1)
        for (const [name, path] of [
          ['first', first],
          ['deep', deep],
        ] as const) {
          const begin = performance.now();
          const { status } = await send(base, token, { path });
          if (status !== 200) throw new Error(`${path}: ${status}`);
          times[name].push(performance.now() - begin);
        }
      const at = (name: 'first' | 'deep') => quantile(times[name], 0.5);
      where.add({
        name: 'one project: keyset page after 50,000',
        ours: { p50: at('deep'), p95: quantile(times.deep, 0.95) },
        native: { p50: at('first'), p95: quantile(times.first, 0.95) },
        goal: { text: '<= 1.2 x the first page (as native)', met: at('deep') <= 1.2 * at('first') },
      });
    }
    if ('creation'.includes(where.match)) {
      const asks = Array.from(
        { length: 200 },
        (_none, at): Ask => ({
          method: 'POST',
          path: `/api/v4${places['one project']}`,
          body: { title: `Made ${at}`, description: 'It leaks.' },
        }),
      );
      const { rate, p50, p95, p99 } = await load(target.url, token, asks, { connections, seconds: where.seconds });
      where.add({
        name: 'creation of an issue',
        ours: { rate, p50, p95, p99 },
        goal: { text: '> 800/s', met: rate > 800 },
      });
    }
  } finally {
    await instance.stop();
  }
}
