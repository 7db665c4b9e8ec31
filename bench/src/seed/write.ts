/** Writes a large instance into the database of one that has its schema, in sets of rows. */
import type pg from 'pg';
import { invitations, type Membership, memberships, type Sizes, shapeOf } from './shape.ts';

const words =
  'water meter valve pump basin flow gauge river sluice wheel mill race gate spill level rate api web core data'.split(
    ' ',
  );
const word = (at: number) => words[at % words.length] ?? 'word';
const nameOf = (at: number) => `${word(at * 7)}-${word(at * 13 + 3)}-${at}`;
const rowsAtOnce = 20_000;

function* batches<T>(items: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The first of so many ids that nothing has yet. */
export async function reserve(client: pg.Client, table: string, count: number): Promise<number> {
  const { rows } = await client.query<{ first: string }>(
    `select setval(s, greatest(last, 1) + $1) - $1 as first from pg_get_serial_sequence('${table}', 'id') s,
      lateral (select coalesce(max(id), 0) as last from ${table}) m`,
    [count],
  );
  return Number(rows[0]?.first) + 1;
}

async function users(client: pg.Client, count: number): Promise<{ user: number; space: number }> {
  const user = await reserve(client, 'users', count);
  const space = await reserve(client, 'namespaces', count);
  await client.query(
    `insert into users (id, username, name, email, confirmed_at, created_at, external)
     select $1 + n, 'person' || n, 'Person ' || n, 'person' || n || '@example.com', now(),
       now() - n * interval '7 minutes', n % 50 = 7 from generate_series(0, $2::int - 1) n`,
    [user, count],
  );
  await client.query(
    `insert into namespaces (id, kind, owner_id, name, path, full_path, full_name, traversal_ids, visibility)
     select $1::bigint + n, 'user', $2::bigint + n, 'Person ' || n, 'person' || n, 'person' || n, 'Person ' || n,
       array[$1::bigint + n], 'public' from generate_series(0, $3::int - 1) n`,
    [space, user, count],
  );
  await client.query(
    `insert into grants (user_id, namespace_id, level)
     select $1::bigint + n, $2::bigint + n, 50 from generate_series(0, $3::int - 1) n`,
    [user, space, count],
  );
  return { user, space };
}

async function grants(
  client: pg.Client,
  column: 'user_id' | 'group_id',
  rows: Iterable<Membership>,
  first: { who: number; group: number; project: number },
): Promise<void> {
  for (const batch of batches(rows)) {
    const place = (at: number | null, base: number) => (at === null ? null : at + base);
    await client.query(
      `insert into grants (${column}, namespace_id, project_id, level, expires_at)
       select w, n, p, l, current_date + e from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[], $5::int[])
         r (w, n, p, l, e) where w is distinct from n or '${column}' = 'user_id' on conflict do nothing`,
      [
        batch.map(({ user }) => user + first.who),
        batch.map(({ group }) => place(group, first.group)),
        batch.map(({ project }) => place(project, first.project)),
        batch.map(({ level }) => level),
        batch.map(({ expiresIn }) => expiresIn),
      ],
    );
  }
}

export interface Seeded {
  /** Ids of the first user, group (the top of the largest tree) and project; the others follow. */
  readonly user: number;
  readonly group: number;
  readonly project: number;
}

/** Fills the database, in one transaction. */
export async function writeSeed(client: pg.Client, sizes: Sizes, say: (text: string) => void): Promise<Seeded> {
  const shape = shapeOf(sizes);
  await client.query('set synchronous_commit = off');
  await client.query(`set maintenance_work_mem = '256MB'`);
  await client.query('begin');
  const { user, space } = await users(client, sizes.users);
  say(`${sizes.users} users`);
  const group = await reserve(client, 'namespaces', sizes.groups);
  const paths: string[] = [];
  const trails: number[][] = [];
  for (let at = 0; at < sizes.groups; at += 1) {
    const parent = shape.parents[at] ?? -1;
    paths.push(parent < 0 ? nameOf(at) : `${paths[parent]}/${nameOf(at)}`);
    trails.push([...(parent < 0 ? [] : (trails[parent] ?? [])), group + at]);
  }
  for (const batch of batches(paths.keys()))
    await client.query(
      `insert into namespaces (id, kind, parent_id, name, path, full_path, full_name, traversal_ids, visibility, created_at)
       select i, 'group', nullif(p, -1), n, n, f, replace(f, '/', ' / '), t::bigint[], v, now() - (i % 2000) * interval '1 day'
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[]) r (i, p, n, f, t, v)`,
      [
        batch.map((at) => group + at),
        batch.map((at) => ((shape.parents[at] ?? -1) < 0 ? -1 : group + (shape.parents[at] ?? 0))),
        batch.map((at) => nameOf(at)),
        batch.map((at) => paths[at]),
        batch.map((at) => `{${(trails[at] ?? []).join(',')}}`),
        batch.map((at) => shape.groupVisibility[at]),
      ],
    );
  say(`${sizes.groups} groups, ${Math.max(...shape.depths)} deep`);
  const project = await reserve(client, 'projects', sizes.projects);
  // What follows from each row alone is made below for all at once.
  await client.query('alter table projects disable trigger user');
  for (const batch of batches(shape.homes.keys()))
    await client.query(
      `insert into projects (id, namespace_id, creator_id, name, path, description, visibility, repository_path, archived,
         star_count, topics, default_branch, created_at, updated_at, last_activity_at)
       select i, h, $2, n, n, 'Everything about ' || n, v, '@seed/' || i, i % 20 = 3, (1000 / (1 + i % 997))::int,
         case when i % 5 = 0 then array['water', 'river'] when i % 7 = 0 then array['mill'] else '{}' end, 'main',
         now() - (i * 7919 % 157680000) * interval '1 second', now() - (i * 104729 % 31536000) * interval '1 second',
         now() - (i * 1299709 % 31536000) * interval '1 second'
       from unnest($1::bigint[], $3::bigint[], $4::text[], $5::text[]) r (i, h, n, v)`,
      [
        batch.map((at) => project + at),
        user,
        batch.map((at) => {
          const home = shape.homes[at] ?? 0;
          return home < 0 ? space - 1 - home : group + home;
        }),
        batch.map((at) => nameOf(at + 1)),
        batch.map((at) => shape.projectVisibility[at]),
      ],
    );
  await client.query('alter table projects enable trigger user');
  await client.query(
    `insert into project_statistics (project_id, commit_count, repository_size)
     select id, id % 1000, (id * 7919 % 1000000)::bigint * 100 from projects on conflict do nothing`,
  );
  await client.query(
    `insert into topics (name, title, total_projects_count)
     select topic, topic, count(*) from projects p cross join unnest(p.topics) topic group by topic
     on conflict (lower(name)) do update set total_projects_count = topics.total_projects_count + excluded.total_projects_count`,
  );
  say(`${sizes.projects} projects`);
  await grants(client, 'user_id', memberships(sizes), { who: user, group, project });
  await grants(client, 'group_id', invitations(sizes), { who: group, group, project });
  await client.query('commit');
  say(`${sizes.memberships} memberships`);
  await client.query('vacuum (analyze) users, namespaces, projects, project_statistics, grants');
  return { user, group, project };
}
