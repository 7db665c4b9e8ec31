/** Who takes a seat of a top-level group: people with a role above guest anywhere in its tree, or by an invited group. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import { countLimit } from '../../../kernel/http/pagination.ts';
import type { ReferenceRow } from '../../identity/index.ts';
import { allOf, grantHolds, type Sql } from '../access/access.queries.ts';

export const billableSorts = [
  'access_level_asc',
  'access_level_desc',
  'last_joined',
  'name_asc',
  'name_desc',
  'oldest_joined',
  'oldest_sign_in',
  'recent_sign_in',
  'last_activity_on_asc',
  'last_activity_on_desc',
] as const;
export type BillableSort = (typeof billableSorts)[number];

export interface BillableRow extends ReferenceRow {
  readonly email: string;
  readonly last_activity_on: string | null;
  readonly membership_type: 'group_member' | 'project_member' | 'group_invite' | 'project_invite';
  readonly removable: boolean;
  readonly created_at: Date;
  readonly last_login_at: Date | null;
}

/** Where a membership comes from, what counts first before the others. */
const types = { 1: 'group_member', 2: 'project_member', 3: 'group_invite', 4: 'project_invite' } as const;
const typeOf = sql.raw(
  `case m.rank ${Object.entries(types)
    .map(([rank, type]) => `when ${rank} then '${type}'`)
    .join(' ')} end`,
);

/**
 * Who has a seat in the tree of `root` (an SQL expression), at their highest level. A group that is invited often counts
 * once, with the highest of these levels, before its members are looked up.
 */
const memberships = (root: Sql): Sql => sql`
  tree as materialized (select namespaces_below(${root}) as id),
  inside as materialized (select p.id from projects p where p.namespace_id in (select id from tree)),
  invitations as materialized (
    select above.id, max(s.level) as level, min(case when s.project_id is null then 3 else 4 end) as rank
    from grants s join namespaces i on i.id = s.group_id cross join unnest(i.traversal_ids) above (id)
    where s.group_id is not null and ${grantHolds('s')}
      and (s.namespace_id in (select id from tree) or s.project_id in (select id from inside))
    group by above.id
  ),
  found as (
    select g.user_id, g.level, 1 as rank, g.created_at from tree
      join grants g on g.namespace_id = tree.id and g.user_id is not null and ${grantHolds('g')}
    union all
    select g.user_id, g.level, 2, g.created_at from inside
      join grants g on g.project_id = inside.id and g.user_id is not null and ${grantHolds('g')}
    union all
    select g.user_id, least(g.level, v.level), v.rank, g.created_at from invitations v
      join grants g on g.namespace_id = v.id and g.user_id is not null and ${grantHolds('g')}
  ),
  seats as materialized (
    select user_id, max(level) as level, min(rank) as rank, max(created_at) as joined_at
    from found group by user_id having max(level) > ${Level.guest}
  )`;

const taken = sql`seats m join users u on u.id = m.user_id and u.user_type = 'human' and u.state = 'active'`;

/** How many seats are taken in the tree of a group, as SQL to be put in parentheses; `root` is an SQL expression. */
export const seatsIn = (root: Sql): Sql => sql`with ${memberships(root)} select count(*)::int from ${taken}`;

export interface BillableFilter {
  readonly search?: string | undefined;
  readonly userId?: number | undefined;
}

function conditions({ search, userId }: BillableFilter): Sql {
  const pattern = containing(search ?? '');
  return allOf([
    ...(search
      ? [sql`(u.name ilike ${pattern} or u.username ilike ${pattern} or lower(u.public_email) = lower(${search}))`]
      : []),
    ...(userId === undefined ? [] : [sql`u.id = ${userId}`]),
  ]);
}

const signedInAt = sql`coalesce(u.current_sign_in_at, u.last_sign_in_at)`;

const orders: Readonly<Record<BillableSort, Sql>> = {
  access_level_asc: sql`m.level`,
  access_level_desc: sql`m.level desc`,
  last_joined: sql`m.joined_at desc`,
  oldest_joined: sql`m.joined_at`,
  name_asc: sql`lower(u.name)`,
  name_desc: sql`lower(u.name) desc`,
  recent_sign_in: sql`${signedInAt} desc nulls last`,
  oldest_sign_in: sql`${signedInAt} nulls last`,
  last_activity_on_asc: sql`u.last_activity_on nulls last`,
  last_activity_on_desc: sql`u.last_activity_on desc nulls last`,
};

export async function listBillable(
  db: Db,
  rootId: number,
  filter: BillableFilter,
  sort: BillableSort,
  window: { readonly limit: number; readonly offset: number },
): Promise<BillableRow[]> {
  const { rows } = await sql<BillableRow>`with ${memberships(sql`${rootId}::bigint`)}
    select u.id, u.username, u.name, u.state, u.public_email, u.locked_until, u.avatar_object_key, u.email,
      u.last_activity_on, u.created_at, ${signedInAt} as last_login_at,
      ${typeOf} as membership_type, m.rank <= 2 as removable
    from ${taken} where ${conditions(filter)}
    order by ${orders[sort]}, u.id limit ${window.limit} offset ${window.offset}`.execute(db);
  return rows;
}

export async function countBillable(db: Db, rootId: number, filter: BillableFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`with ${memberships(sql`${rootId}::bigint`)}
    select count(*)::int as count from (select 1 from ${taken} where ${conditions(filter)}
      limit ${countLimit + 1}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

export interface MembershipRow {
  readonly id: number;
  readonly source_id: number;
  readonly source_full_name: string;
  readonly source_path: string;
  readonly project: boolean;
  readonly created_at: Date;
  readonly expires_at: string | null;
  readonly level: number;
}

/** `direct`: of the person; `indirect`: of groups of the person that are invited into the tree. */
export type MembershipReach = 'direct' | 'indirect';

const ofPerson = (rootId: number, userId: number, reach: MembershipReach): Sql => sql`
  from grants s
    left join namespaces n on n.id = s.namespace_id
    left join projects p on p.id = s.project_id left join namespaces pn on pn.id = p.namespace_id
  where ${grantHolds('s')} and (s.namespace_id in (select namespaces_below(${rootId}))
      or p.namespace_id in (select namespaces_below(${rootId})))
    and ${
      reach === 'direct'
        ? sql`s.user_id = ${userId}`
        : sql`s.group_id in (select i.id from grants g join namespaces i on g.namespace_id = any(i.traversal_ids)
            where g.user_id = ${userId} and ${grantHolds('g')})`
    }`;

/** Memberships that give somebody a role in the tree. */
export async function listMemberships(
  db: Db,
  rootId: number,
  userId: number,
  reach: MembershipReach,
  window: { readonly limit: number; readonly offset: number },
): Promise<MembershipRow[]> {
  const { rows } = await sql<MembershipRow>`
    select s.id, coalesce(s.namespace_id, s.project_id) as source_id, s.created_at, s.expires_at, s.level,
      s.project_id is not null as project, coalesce(n.full_name, pn.full_name || ' / ' || p.name) as source_full_name,
      coalesce(n.full_path, pn.full_path || '/' || p.path) as source_path ${ofPerson(rootId, userId, reach)}
    order by s.id limit ${window.limit} offset ${window.offset}`.execute(db);
  return rows;
}

export async function countMemberships(
  db: Db,
  rootId: number,
  userId: number,
  reach: MembershipReach,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 ${ofPerson(rootId, userId, reach)} limit ${countLimit + 1}) counted`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
