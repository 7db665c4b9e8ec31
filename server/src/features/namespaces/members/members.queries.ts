/** Rows of `grants` that give users a level on a group or project. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Grant } from '../../../kernel/db/rows.ts';
import { countLimit } from '../../../kernel/http/pagination.ts';
import { allOf, grantHolds, levelsOf, type Sql, withTables } from '../access/access.queries.ts';
import { below as idsBelow } from '../access/hierarchy.queries.ts';
import type { MemberRow, SamlIdentity } from './members.entity.ts';

/** Where somebody is a member: a group, or a project with the groups above it. */
export interface Place {
  readonly kind: 'group' | 'project';
  readonly id: number;
  /** The group's own id and its ancestors', or those of the project's namespace. */
  readonly namespaceIds: readonly number[];
}

export interface MemberFilter {
  readonly query?: string | undefined;
  readonly userIds?: readonly number[] | undefined;
  readonly skipUsers?: readonly number[] | undefined;
  /** Only those who take part, or only those who wait for a seat. */
  readonly state?: 'awaiting' | 'active' | undefined;
  readonly level?: number | undefined;
  readonly sourceKind?: SourceKind | undefined;
  /** Whether the membership ends some day. */
  readonly expires?: boolean | undefined;
  readonly twoFactor?: 'enabled' | 'disabled' | undefined;
  /** By the users' ids unless told. */
  readonly sort?: MemberSort | undefined;
}

type SourceKind = MemberRow['source_kind'];

const orders = {
  name_asc: sql`lower(u.name), u.id`,
  name_desc: sql`lower(u.name) desc, u.id desc`,
  access_level_asc: sql`m.level, u.id`,
  access_level_desc: sql`m.level desc, u.id`,
  last_joined: sql`m.granted_at desc, u.id desc`,
  oldest_joined: sql`m.granted_at, u.id`,
} as const;
export type MemberSort = keyof typeof orders;
export const memberSorts = Object.keys(orders) as MemberSort[];

/** Where the role of a row of `members` comes from. */
const sourceKind = (place: Place): Sql => sql`case when m.shared_with is not null then 'shared'
  when m.project_id is not distinct from ${place.kind === 'project' ? place.id : null}::bigint
    and m.namespace_id is not distinct from ${place.kind === 'group' ? place.id : null}::bigint then 'direct'
  else 'inherited' end`;

const at = (place: Place, alias: string): Sql =>
  place.kind === 'project'
    ? sql`${sql.ref(`${alias}.project_id`)} = ${place.id}`
    : sql`${sql.ref(`${alias}.namespace_id`)} = ${place.id}`;

const anywhere = (place: Place, alias: string): Sql => {
  const above = sql`${sql.ref(`${alias}.namespace_id`)} = any(${[...place.namespaceIds]}::bigint[])`;
  return place.kind === 'project' ? sql`(${at(place, alias)} or ${above})` : above;
};

type MemberState = 'awaiting' | 'active';

const grantColumns = sql`g.user_id, g.level, g.expires_at, g.created_at as granted_at, g.created_by_id as granted_by,
  g.state as membership_state`;

const lasts = sql`(g.expires_at is null or g.expires_at > current_date)`;
const counts = (state: MemberState | undefined): Sql =>
  state === undefined ? lasts : sql`g.state = ${state} and ${lasts}`;

/** Direct members. */
const direct = (place: Place, state: MemberState | undefined): Sql => sql`members as (
  select ${grantColumns}, null::bigint as shared_with, g.namespace_id, g.project_id
  from grants g where g.user_id is not null and ${at(place, 'g')} and ${counts(state)})`;

/** Everybody with a level here, once, at the highest that they have or else wait for; those of invited groups where the caller may see the group. */
function inherited(place: Place, caller: Caller, state: MemberState | undefined): Sql {
  // A place has few invitations: each group is looked at, instead of everything that the caller belongs to.
  const seen = caller.admin
    ? sql`true`
    : caller.user === null
      ? sql`i.visibility = 'public'`
      : sql`(i.visibility = 'public' or exists (select from (select i.*) n
          cross join ${levelsOf(caller.user.id, false)} where effective_level >= ${Level.guest}))`;
  return sql`members as (
    select distinct on (user_id) * from (
      select ${grantColumns}, null::bigint as shared_with, g.namespace_id, g.project_id from grants g
        where g.user_id is not null and ${anywhere(place, 'g')} and ${counts(state)}
      union all
      select g.user_id, least(g.level, s.level), least(g.expires_at, s.expires_at), g.created_at, g.created_by_id, 'active', s.group_id,
        s.namespace_id, s.project_id
        from grants s join namespaces i on i.id = s.group_id
        join grants g on g.namespace_id = any(i.traversal_ids) and g.user_id is not null and ${grantHolds('g')}
        where s.group_id is not null and ${anywhere(place, 's')} and ${grantHolds('s')} and ${seen}
          and ${state !== 'awaiting'}
    ) found order by user_id, membership_state, level desc, shared_with nulls first, granted_at)`;
}

function conditionsOf(place: Place, filter: MemberFilter): Sql[] {
  const found: Sql[] = [];
  if (filter.query) {
    const pattern = containing(filter.query);
    found.push(sql`(u.name ilike ${pattern} or u.username ilike ${pattern}
      or lower(u.public_email) = lower(${filter.query}))`);
  }
  if (filter.userIds) found.push(sql`u.id = any(${[...filter.userIds]}::bigint[])`);
  if (filter.skipUsers) found.push(sql`u.id <> all(${[...filter.skipUsers]}::bigint[])`);
  if (filter.level !== undefined) found.push(sql`m.level = ${filter.level}`);
  if (filter.sourceKind) found.push(sql`${sourceKind(place)} = ${filter.sourceKind}`);
  if (filter.expires !== undefined) found.push(sql`(m.expires_at is not null) = ${filter.expires}`);
  if (filter.twoFactor)
    found.push(sql`u.two_factor_enabled = ${filter.twoFactor === 'enabled'} and u.user_type = 'human'`);
  return found;
}

export type Reach = 'direct' | 'all';

const tablesOf = (place: Place, reach: Reach, caller: Caller, state: MemberState | undefined): Sql => {
  return withTables(reach === 'direct' ? direct(place, state) : inherited(place, caller, state));
};

/** One page of members. */
export async function listMembers(
  db: Db,
  caller: Caller,
  place: Place,
  reach: Reach,
  filter: MemberFilter,
  window: { readonly limit: number; readonly offset: number },
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`${tablesOf(place, reach, caller, filter.state)}
    select u.id, u.username, u.name, u.state, u.public_email, u.locked_until, u.avatar_object_key, u.user_type, u.email,
      m.level, m.expires_at, m.granted_at, m.granted_by, m.membership_state,
      ${sourceKind(place)} as source_kind,
      n.id as source_id, n.full_name as source_name, n.full_path as source_path
    from members m join users u on u.id = m.user_id left join namespaces n on n.id = coalesce(m.shared_with, m.namespace_id)
    where ${allOf(conditionsOf(place, filter))}
    order by ${filter.sort ? orders[filter.sort] : sql`u.id`} limit ${window.limit} offset ${window.offset}`.execute(
    db,
  );
  return rows;
}

export async function countMembers(
  db: Db,
  caller: Caller,
  place: Place,
  reach: Reach,
  filter: MemberFilter,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`${tablesOf(place, reach, caller, filter.state)}
    select count(*)::int as count from (
      select 1 from members m join users u on u.id = m.user_id
      where ${allOf(conditionsOf(place, filter))} limit ${countLimit + 1}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

const columnOf = (place: Place) => (place.kind === 'project' ? 'project_id' : 'namespace_id');

/** A user's direct grant that has not expired; of those who wait, too. */
export async function findGrant(db: Db, place: Place, userId: number): Promise<Grant | undefined> {
  return await db
    .selectFrom('grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where(columnOf(place), '=', place.id)
    .where(sql<boolean>`(expires_at is null or expires_at > current_date)`)
    .executeTakeFirst();
}

/** The same, held until the transaction ends: of those who end it at the same time one finds it. */
export async function lockGrant(tx: Db, place: Place, userId: number): Promise<Grant | undefined> {
  return await tx
    .selectFrom('grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where(columnOf(place), '=', place.id)
    .where(sql<boolean>`(expires_at is null or expires_at > current_date)`)
    .forUpdate()
    .executeTakeFirst();
}

/** Adds a user; false when they are a member already. A grant that has expired is replaced. */
export async function insertMember(
  tx: Db,
  place: Place,
  member: {
    userId: number;
    level: number;
    expiresAt: string | null;
    createdById: number | null;
    state: 'active' | 'awaiting';
  },
): Promise<boolean> {
  await tx
    .deleteFrom('grants')
    .where('user_id', '=', member.userId)
    .where(columnOf(place), '=', place.id)
    .where('expires_at', '<=', sql<string>`current_date`)
    .execute();
  const row = await tx
    .insertInto('grants')
    .values({
      user_id: member.userId,
      [columnOf(place)]: place.id,
      level: member.level,
      expires_at: member.expiresAt,
      created_by_id: member.createdById,
      state: member.state,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateMember(
  tx: Db,
  grantId: number,
  changes: { level: number; expires_at?: string | null },
): Promise<void> {
  await tx
    .updateTable('grants')
    .set({ ...changes, updated_at: sql`now()` })
    .where('id', '=', grantId)
    .execute();
}

/** Removes the grant and, where asked, those on the groups and projects below. */
export async function deleteMember(tx: Db, place: Place, userId: number, below: boolean): Promise<number> {
  const own = await tx
    .deleteFrom('grants')
    .where('user_id', '=', userId)
    .where(columnOf(place), '=', place.id)
    .executeTakeFirst();
  if (place.kind !== 'group' || !below) return Number(own.numDeletedRows);
  const { numAffectedRows } = await sql`delete from grants g where g.user_id = ${userId} and (
    g.namespace_id in ${idsBelow(place.id)}
    or g.project_id in (select p.id from projects p where p.namespace_id in ${idsBelow(place.id)}))`.execute(tx);
  return Number(own.numDeletedRows) + Number(numAffectedRows ?? 0);
}

/** What asked for the membership is done with: the request, and invitations of the person's confirmed addresses. */
export async function dropWaiting(tx: Db, place: Place, userId: number): Promise<void> {
  const column = columnOf(place);
  await tx.deleteFrom('access_requests').where('user_id', '=', userId).where(column, '=', place.id).execute();
  await sql`delete from member_invitations i where ${sql.ref(`i.${column}`)} = ${place.id} and lower(i.email) in (
    select lower(u.email) from users u where u.id = ${userId} and u.confirmed_at is not null
    union select lower(e.email) from emails e where e.user_id = ${userId} and e.confirmed_at is not null)`.execute(tx);
}

/** Memberships in the tree of a group that wait: one by its id, or all. Answers who is in now. */
export async function approveAwaiting(tx: Db, groupId: number, grantId: number | null): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`update grants g set state = 'active', updated_at = now()
    where g.state = 'awaiting' and (${grantId}::bigint is null or g.id = ${grantId}) and (
      g.namespace_id in ${idsBelow(groupId)}
      or g.project_id in (select p.id from projects p where p.namespace_id in ${idsBelow(groupId)}))
    returning g.user_id`.execute(tx);
  return rows.map((row) => row.user_id);
}

/** Sets the state of all memberships of somebody in the tree of a group; false when there are none. */
export async function setMemberState(
  tx: Db,
  groupId: number,
  userId: number,
  state: 'active' | 'awaiting',
): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`update grants g set state = ${state}, updated_at = now()
    where g.user_id = ${userId} and (
      g.namespace_id in ${idsBelow(groupId)}
      or g.project_id in (select p.id from projects p where p.namespace_id in ${idsBelow(groupId)}))
    returning g.id`.execute(tx);
  return rows.length > 0;
}

/** How many owners a place has besides the user, on itself or above. */
export async function otherOwners(tx: Db, place: Place, userId: number): Promise<number> {
  const { rows } = await sql<{ user_id: number }>`
    select g.user_id from grants g join users u on u.id = g.user_id
    where g.level >= ${Level.owner} and g.user_id <> ${userId} and u.user_type = 'human' and ${anywhere(place, 'g')}
      and ${grantHolds('g')}`.execute(tx);
  return rows.length;
}

/** The highest level that a user has from the groups above, with the group's name. */
export async function inheritedLevel(
  db: Db,
  place: Place,
  userId: number,
): Promise<{ level: number; name: string } | undefined> {
  const above = place.kind === 'project' ? place.namespaceIds : place.namespaceIds.filter((id) => id !== place.id);
  const { rows } = await sql<{ level: number; name: string }>`
    select g.level, n.name from grants g join namespaces n on n.id = g.namespace_id
    where g.user_id = ${userId} and n.kind = 'group' and g.namespace_id = any(${[...above]}::bigint[])
      and ${grantHolds('g')}
    order by g.level desc limit 1`.execute(db);
  return rows[0];
}

/**
 * Hours of grace of the groups that ask a user for a second factor: those of which they are a member, and what is above
 * and below them. No row, nobody asks.
 */
export async function graceOfGroups(db: Db, userId: number): Promise<number[]> {
  const { rows } = await sql<{ hours: number }>`
    select distinct a.two_factor_grace_period as hours from grants g
    join namespaces n on n.id = g.namespace_id and n.kind = 'group'
    join namespaces a on a.require_two_factor_authentication
      and (a.id = any(n.traversal_ids) or n.id = any(a.traversal_ids))
    where g.user_id = ${userId} and g.level > 0 and ${grantHolds('g')}`.execute(db);
  return rows.map(({ hours }) => hours);
}

/** Who users are for the single sign-on of a tree of groups; null where it has none. */
export async function samlIdentities(
  db: Db,
  namespaceIds: readonly number[],
  userIds: readonly number[],
): Promise<Map<number, SamlIdentity> | null> {
  const links = sql`select l.provider from saml_group_links l where l.namespace_id = any(${[...namespaceIds]}::bigint[])`;
  const { rows: enabled } = await sql<{ enabled: boolean }>`select exists (${links}) as enabled`.execute(db);
  if (!enabled[0]?.enabled) return null;
  const { rows } = await sql<SamlIdentity & { user_id: number }>`
    select i.user_id, i.extern_uid, i.provider, i.saml_provider_id from identities i
    where i.user_id = any(${[...userIds]}::bigint[]) and (i.provider = 'group_saml' or i.provider in (${links}))
    order by i.id desc`.execute(db);
  return new Map(rows.map(({ user_id, ...identity }) => [user_id, identity]));
}

/** Whether a service account may be here: everywhere for those of the instance, else in what it belongs to and below. */
export async function serviceAccountFits(db: Db, place: Place, userId: number): Promise<boolean> {
  const home = await db
    .selectFrom('service_account_places')
    .select(['namespace_id', 'project_id'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (!home) return true;
  if (home.project_id !== null) return place.kind === 'project' && place.id === home.project_id;
  return home.namespace_id !== null && place.namespaceIds.includes(home.namespace_id);
}
