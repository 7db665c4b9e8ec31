/** Lists, checks and changes of a large instance: `npm run bench -- --only namespaces --seeded DIR` (see `npm run seed`). */
import { startPostgres } from '@millrace/postgres';
import pg from 'pg';
import { type Ask, quantile, send } from '../load.ts';
import { type Instance, startInstance, token } from '../process.ts';
import { below, type Figure, type Row } from '../report.ts';
import { connect, type Target } from '../target.ts';

interface Where {
  readonly directory: string;
  readonly rounds: number;
  /** Only rows with this in their name. */
  readonly match: string;
  add(row: Row): void;
}

interface Person {
  readonly name: string;
  readonly token: string;
}

const figureOf = (times: readonly number[]): Figure => ({
  p50: quantile(times, 0.5),
  p95: quantile(times, 0.95),
  p99: quantile(times, 0.99),
});

async function measured(target: Target, person: Person, rounds: number, askOf: (round: number) => Ask) {
  const times: number[] = [];
  for (let round = -3; round < rounds; round += 1) {
    const ask = askOf(Math.max(round, 0));
    const begin = performance.now();
    const { status, body } = await send(new URL(target.url), person.token, { ...ask, path: `/api/v4${ask.path}` });
    if (status >= 300)
      throw new Error(`${ask.method ?? 'GET'} ${ask.path}: ${status} ${body.toString().slice(0, 300)}`);
    if (round >= 0) times.push(performance.now() - begin);
  }
  return figureOf(times);
}

/** What is asked of every kind of person; `top` is the top of the largest tree. */
const lists = (top: number, project: number): readonly (readonly [string, string])[] => [
  ['GET /groups', '/groups'],
  ['GET /groups, page 20', '/groups?page=20'],
  ['GET /groups by path', '/groups?order_by=path&sort=desc'],
  ['GET /groups by id', '/groups?order_by=id'],
  ['GET /groups?search=meter-77', '/groups?search=meter-77'],
  ['GET /groups?search by similarity', '/groups?search=meter-77&order_by=similarity'],
  ['GET /groups?top_level_only', '/groups?top_level_only=true'],
  ['GET /groups?min_access_level=30', '/groups?min_access_level=30'],
  ['GET /groups?owned', '/groups?owned=true'],
  ['GET /projects', '/projects'],
  ['GET /projects, page 50', '/projects?page=50'],
  ...['id', 'name', 'path', 'updated_at', 'last_activity_at', 'star_count'].map(
    (order) => [`GET /projects by ${order}`, `/projects?order_by=${order}`] as const,
  ),
  ['GET /projects?membership', '/projects?membership=true'],
  ['GET /projects?owned', '/projects?owned=true'],
  ['GET /projects?min_access_level=40 by name', '/projects?min_access_level=40&order_by=name'],
  ['GET /projects?search=gate-777', '/projects?search=gate-777'],
  ['GET /projects?search by similarity', '/projects?search=gate-777&order_by=similarity'],
  ['GET /projects?search_namespaces', '/projects?search=gate-777&search_namespaces=true'],
  ['GET /projects?topic=mill', '/projects?topic=mill'],
  ['GET /projects?visibility=private', '/projects?visibility=private'],
  ['GET /projects?simple keyset', '/projects?simple=true&pagination=keyset'],
  ['GET /groups/:id/projects', `/groups/${top}/projects`],
  ['GET /groups/:id/projects?include_subgroups', `/groups/${top}/projects?include_subgroups=true`],
  ...['id', 'name', 'path', 'updated_at', 'last_activity_at', 'star_count'].map(
    (order) =>
      [
        `GET /groups/:id/projects?include_subgroups by ${order}`,
        `/groups/${top}/projects?include_subgroups=true&order_by=${order}`,
      ] as const,
  ),
  [
    'GET /groups/:id/projects?include_subgroups search',
    `/groups/${top}/projects?include_subgroups=true&search=gate-777`,
  ],
  ['GET /groups/:id/subgroups', `/groups/${top}/subgroups?all_available=true`],
  ['GET /groups/:id/descendant_groups', `/groups/${top}/descendant_groups?all_available=true`],
  ['GET /groups/:id/members/all', `/groups/${top}/members/all`],
  ['GET /groups/:id/members/all?query', `/groups/${top}/members/all?query=person4`],
  ['GET /groups/:id/members', `/groups/${top}/members`],
  ['GET /projects/:id/members/all', `/projects/${project}/members/all`],
  ['GET /projects/:id/members/all?query', `/projects/${project}/members/all?query=person4`],
  ['GET /projects/:id', `/projects/${project}`],
  ['GET /groups/:id', `/groups/${top}?with_projects=false`],
];

interface Facts {
  readonly top: number;
  readonly other: number;
  /** A project deep in the largest tree, and its path. */
  readonly project: number;
  readonly path: string;
  readonly ordinary: number;
  readonly busiest: number;
}

async function factsOf(client: pg.Client): Promise<Facts> {
  const { rows } = await client.query<Record<keyof Facts, string>>(`
    with tops as (select id, row_number() over (order by id) as nth from namespaces
      where kind = 'group' and parent_id is null and path like '%-%-%'),
    largest as (select id from tops where nth = 1),
    deep as (select p.id, n.full_path || '/' || p.path as path from projects p join namespaces n on n.id = p.namespace_id
      where p.visibility = 'internal' and n.traversal_ids[1] = (select id from largest)
      order by cardinality(n.traversal_ids) desc, p.id limit 1)
    select (select id from largest) as top, (select id from tops where nth = 2) as other, deep.id as project, deep.path,
      -- Somebody in the largest group, with as many memberships as most have.
      (select g.user_id from grants g where g.namespace_id = (select id from largest) and g.user_id is not null
        and g.level = 10 and (select count(*) from grants m where m.user_id = g.user_id) between 9 and 11
        order by g.user_id limit 1) as ordinary,
      (select user_id from grants where user_id is not null group by user_id order by count(*) desc limit 1) as busiest
    from deep`);
  const [row] = rows;
  if (!row) throw new Error('the instance is not seeded');
  return {
    top: Number(row.top),
    other: Number(row.other),
    project: Number(row.project),
    path: row.path,
    ordinary: Number(row.ordinary),
    busiest: Number(row.busiest),
  };
}

async function personOf(target: Target, name: string, user: number): Promise<Person> {
  const made = await target.call<{ token: string }>('POST', `/users/${user}/personal_access_tokens`, {
    name: 'bench',
    scopes: ['api'],
  });
  return { name, token: made.token };
}

async function reads(where: Where, target: Target, facts: Facts): Promise<void> {
  const people: readonly Person[] = [
    await personOf(target, 'ordinary member', facts.ordinary),
    await personOf(target, 'busiest member', facts.busiest),
    { name: 'administrator', token },
    { name: 'anonymous', token: '' },
  ];
  for (const person of people)
    for (const [name, path] of lists(facts.top, facts.project)) {
      if (person.name === 'anonymous' && /members|subgroups|descendant|:id|owned|access_level|membership/.test(name))
        continue;
      if (!`${name}, ${person.name}`.includes(where.match)) continue;
      const figure = await measured(target, person, where.rounds, () => ({ path }));
      where.add({ name: `${name}, ${person.name}`, ours: figure, goal: below(100, 'p99', figure) });
    }
}

/** Changes at the top of the largest tree, each seen by the very next request. */
async function changes(where: Where, target: Target, facts: Facts): Promise<void> {
  const admin: Person = { name: 'administrator', token };
  const rounds = Math.min(where.rounds, 30);
  const row = async (name: string, askOf: (round: number) => Ask) => {
    const figure = await measured(target, admin, rounds, askOf);
    where.add({ name, ours: figure, goal: below(50, 'p95', figure) });
  };
  const { top, other, ordinary } = facts;
  if (!'changes'.includes(where.match)) return;
  await row('change of a membership at the top', (round) => ({
    method: 'PUT',
    path: `/groups/${top}/members/${ordinary}`,
    body: { access_level: round % 2 === 0 ? 20 : 10 },
  }));
  await row('rename of the largest tree', (round) => ({
    method: 'PUT',
    path: `/groups/${top}`,
    body: { path: `renamed-${round}-${Date.now()}` },
  }));
  const share = { group_id: other, group_access: 20 };
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    await target.call('POST', `/groups/${top}/share`, share);
    times.push(performance.now() - begin);
    await target.call('DELETE', `/groups/${top}/share/${other}`);
  }
  const figure = figureOf(times);
  where.add({
    name: 'invitation of a group at the top',
    ours: figure,
    goal: below(50, 'p95', figure),
  });
  // Asked as often as it takes, warming up included: down and up in turn, and up in the end.
  let nested = false;
  await row('another parent for the largest tree', () => {
    nested = !nested;
    return { method: 'POST', path: `/groups/${top}/transfer`, body: nested ? { group_id: other } : {} };
  });
  if (nested) await target.call('POST', `/groups/${top}/transfer`, {});
}

/** What one check costs in the database: the statement that loads a project with its caller's level. */
async function check(where: Where, client: pg.Client, facts: Facts): Promise<void> {
  await client.query(`set pg_stat_statements.track = 'none'`).catch(() => undefined);
  const { rows } = await client.query<{ text: string }>(
    `select query as text from pg_stat_activity where query like '%effective_level%where p.id = $2%'
      and pid <> pg_backend_pid() limit 1`,
  );
  const text = rows[0]?.text;
  if (!text) return;
  const times: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    const { rows: plan } = await client.query<{ 'QUERY PLAN': [{ 'Execution Time': number }] }>({
      name: 'check',
      text: `explain (analyze, timing off, format json) ${text}`,
      values: [facts.ordinary, facts.project],
    });
    times.push(plan[0]?.['QUERY PLAN'][0]['Execution Time'] ?? Number.NaN);
  }
  const figure = figureOf(times);
  where.add({
    name: 'permission check in the database',
    ours: figure,
    goal: { text: 'p50 < 1 ms', met: (figure.p50 ?? 9) < 1 },
  });
}

export async function namespaces(where: Where): Promise<void> {
  const instance: Instance = await startInstance(where.directory);
  try {
    const target = connect('ours', instance.url, token);
    const log = { info: () => undefined, warn: (text: string) => console.warn(text) };
    const { connection } = await startPostgres({ dataDir: `${where.directory}/millrace/postgres`, log });
    const client = new pg.Client(connection);
    await client.connect();
    try {
      const facts = await factsOf(client);
      await reads(where, target, facts);
      await check(where, client, facts);
      await changes(where, target, facts);
    } finally {
      await client.end();
    }
  } finally {
    await instance.stop();
  }
}
