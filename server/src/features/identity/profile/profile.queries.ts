/** What people tell of themselves, whom they follow, what administrators note, and counts of what is theirs. */
import { CompiledQuery, type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { User, UserStatus } from '../../../kernel/db/rows.ts';
import type { UserStatusesTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** The status, unless its time is over. */
export async function findStatus(db: Db, userId: number): Promise<UserStatus | undefined> {
  return await db
    .selectFrom('user_statuses')
    .selectAll()
    .where('user_id', '=', userId)
    .where((where) => where.or([where('clear_status_at', 'is', null), where('clear_status_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst();
}

const statusText = (who: string) => `select s.* from users u left join user_statuses s
  on s.user_id = u.id and (s.clear_status_at is null or s.clear_status_at > now()) where ${who}`;
const statusById = statusText('u.id = $1');
const statusByName = statusText('lower(u.username) = lower($1)');

/** The status of somebody by id or name, unless its time is over; undefined when there is no such person. */
export async function findStatusOf(db: Db, idOrName: string): Promise<UserStatus | null | undefined> {
  const text = /^\d{1,15}$/.test(idOrName) ? statusById : statusByName;
  // Pages of people ask for it again and again: one indexed read, compiled once.
  const { rows } = await db.executeQuery(CompiledQuery.raw(text, [idOrName]) as CompiledQuery<UserStatus>);
  const [row] = rows;
  return row && (row.user_id === null ? null : row);
}

export async function saveStatus(db: Db, status: Insertable<UserStatusesTable>): Promise<UserStatus> {
  const { user_id: _, ...values } = status;
  return await db
    .insertInto('user_statuses')
    .values(status)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function clearStatus(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('user_statuses').where('user_id', '=', userId).execute();
}

/** False when they followed the user already. */
export async function follow(db: Db, followerId: number, followeeId: number): Promise<boolean> {
  const row = await db
    .insertInto('user_follows')
    .values({ follower_id: followerId, followee_id: followeeId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('followee_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False when they did not follow the user. */
export async function unfollow(db: Db, followerId: number, followeeId: number): Promise<boolean> {
  const row = await db
    .deleteFrom('user_follows')
    .where('follower_id', '=', followerId)
    .where('followee_id', '=', followeeId)
    .returning('followee_id')
    .executeTakeFirst();
  return row !== undefined;
}

const sides = {
  followers: { of: 'followee_id', other: 'follower_id' },
  following: { of: 'follower_id', other: 'followee_id' },
} as const;

/** Active people on one side of a user, the newest first. */
export async function listFollows(
  db: Db,
  userId: number,
  side: keyof typeof sides,
  window: Window,
): Promise<{ rows: User[]; total: number }> {
  const { of, other } = sides[side];
  const query = db
    .selectFrom('user_follows')
    .innerJoin('users', 'users.id', `user_follows.${other}`)
    .where(`user_follows.${of}`, '=', userId)
    .where('users.state', '=', 'active');
  const rows = await query
    .selectAll('users')
    .orderBy('user_follows.created_at', 'desc')
    .orderBy('users.id', 'desc')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  return { rows, total: await countUpTo(db, query.select('users.id')) };
}

export async function findCustomAttribute(db: Db, userId: number, key: string): Promise<string | null> {
  const row = await db
    .selectFrom('user_custom_attributes')
    .select('value')
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row?.value ?? null;
}

export async function saveCustomAttribute(tx: Db, userId: number, key: string, value: string): Promise<void> {
  await tx
    .insertInto('user_custom_attributes')
    .values({ user_id: userId, key, value })
    .onConflict((conflict) => conflict.columns(['user_id', 'key']).doUpdateSet({ value }))
    .execute();
}

/** False when the user has none of the name. */
export async function deleteCustomAttribute(tx: Db, userId: number, key: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('user_custom_attributes')
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}

export interface Activity {
  readonly username: string;
  readonly last_activity_on: string;
}

/** Who was there on the day or later, the longest ago first. */
export async function listActivities(
  db: Db,
  from: string,
  window: Window,
): Promise<{ rows: Activity[]; total: number }> {
  const query = db.selectFrom('users').where('last_activity_on', '>=', from);
  const rows = await query
    .select(['username', 'last_activity_on'])
    .orderBy('last_activity_on')
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  return {
    rows: rows.map((row) => ({ ...row, last_activity_on: row.last_activity_on ?? from })),
    total: await countUpTo(db, query.select('id')),
  };
}

export interface MembershipRow {
  readonly source_id: number;
  readonly source_name: string;
  readonly source_type: 'Project' | 'Namespace';
  readonly access_level: number;
}

/** Where the user is a member themselves; their own namespace is none of it. */
export async function listMemberships(
  db: Db,
  userId: number,
  type: 'Project' | 'Namespace' | undefined,
  window: Window,
): Promise<{ rows: MembershipRow[]; total: number }> {
  const wanted = type ?? null;
  const found = sql`from grants g left join projects p on p.id = g.project_id left join namespaces n on n.id = g.namespace_id
    where g.user_id = ${userId} and (n.id is null or n.kind = 'group')
      and (g.expires_at is null or g.expires_at > (now() at time zone 'utc')::date)
      and (${wanted}::text is null or ${wanted} = case when p.id is null then 'Namespace' else 'Project' end)`;
  const { rows } = await sql<MembershipRow>`
    select coalesce(p.id, n.id) as source_id, coalesce(p.name, n.name) as source_name,
      case when p.id is null then 'Namespace' else 'Project' end as source_type, g.level::int as access_level
    ${found} order by g.id limit ${window.limit} offset ${window.offset}`.execute(db);
  return { rows, total: await countUpTo(db, { limit: (most) => sql`select g.id ${found} limit ${most}` }) };
}

export interface Associations {
  readonly groups_count: number;
  readonly projects_count: number;
  readonly issues_count: number;
  readonly merge_requests_count: number;
}

/** How much would be touched by removing the user. */
export async function countAssociations(db: Db, userId: number): Promise<Associations> {
  const { rows } = await sql<Associations>`select
    (select count(*)::int from grants g join namespaces n on n.id = g.namespace_id
      where g.user_id = ${userId} and n.kind = 'group') as groups_count,
    (select count(*)::int from projects p where p.id in (
      select project_id from grants where user_id = ${userId}
      union select q.id from projects q join namespaces n on n.id = q.namespace_id where n.owner_id = ${userId}
    )) as projects_count,
    (select count(*)::int from issues where author_id = ${userId}) as issues_count,
    (select count(*)::int from merge_requests where author_id = ${userId}) as merge_requests_count`.execute(db);
  return rows[0] ?? { groups_count: 0, projects_count: 0, issues_count: 0, merge_requests_count: 0 };
}

export interface Counts {
  readonly assigned_merge_requests: number;
  readonly review_requested_merge_requests: number;
  readonly todos: number;
  /** Open merge requests of the two, each once, and to-dos about anything else. */
  readonly things: number;
}

/** Open merge requests and to-dos that wait for the user. */
export async function countWaiting(db: Db, userId: number): Promise<Counts> {
  const { rows } = await sql<Counts>`with requests as materialized (
      select m.id, w.role from merge_request_people w join merge_requests m on m.id = w.merge_request_id
      where w.user_id = ${userId} and m.state = 'opened'
    ), pending as materialized (
      select noteable_type, noteable_id from todos where user_id = ${userId} and state = 'pending'
    ) select
      (select count(*)::int from requests where role = 'assignee') as assigned_merge_requests,
      (select count(*)::int from requests where role = 'reviewer') as review_requested_merge_requests,
      (select count(*)::int from pending) as todos,
      (select count(distinct id)::int from requests) + (
        select count(*)::int from pending
        where noteable_type <> 'merge_request' or noteable_id not in (select id from requests)
      ) as things`.execute(db);
  return rows[0] ?? { assigned_merge_requests: 0, review_requested_merge_requests: 0, todos: 0, things: 0 };
}

/** Whose picture an address stands for: only where the person shows the address to everybody. */
export async function findByPublicEmail(db: Db, email: string): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(public_email)`, '=', email.toLowerCase())
    .where('public_email', '<>', '')
    .where('state', '=', 'active')
    .executeTakeFirst();
}
