/** Badges and members of a project or group as archives hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

type Maybe<T> = T | null | undefined;

export interface BadgeLine {
  readonly name?: Maybe<string>;
  readonly link_url: string;
  readonly image_url: string;
}

/** A project or group by its column. */
type Place = { readonly project_id: number } | { readonly namespace_id: number };
const within = (place: Place) =>
  'project_id' in place ? (['project_id', place.project_id] as const) : (['namespace_id', place.namespace_id] as const);

export async function badgesOf(db: Db, place: Place): Promise<BadgeLine[]> {
  const [column, id] = within(place);
  return await db
    .selectFrom('badges')
    .select(['name', 'link_url', 'image_url'])
    .where(column, '=', id)
    .orderBy('id')
    .execute();
}

export async function insertBadge(tx: Db, place: Place, row: BadgeLine): Promise<null> {
  await tx
    .insertInto('badges')
    .values({ ...row, ...place, name: row.name ?? null })
    .execute();
  return null;
}

export interface MemberLine {
  readonly username: string;
  readonly access_level: number;
  readonly expires_at?: Maybe<string>;
}

/** People with a role on the project or group itself; bots stay with their tokens. */
export async function membersOf(db: Db, place: Place): Promise<MemberLine[]> {
  const [column, id] = within(place);
  return await db
    .selectFrom('grants as g')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .select(['u.username', 'g.level as access_level', 'g.expires_at'])
    .where(`g.${column}`, '=', id)
    .where('g.group_id', 'is', null)
    .where('u.user_type', '=', 'human')
    .where('g.state', '=', 'active')
    .orderBy('g.id')
    .execute();
}

/** A member of a project or group that comes from elsewhere; why not, where they cannot be. */
export async function insertMember(
  tx: Db,
  place: Place,
  importerId: number,
  { userId, access_level: level, expires_at: until }: MemberLine & { readonly userId: number },
): Promise<string | null> {
  if (![10, 15, 20, 30, 40, 50].includes(level)) return 'has a role that does not exist';
  const { user_type: type } = await tx
    .selectFrom('users')
    .select('user_type')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (type !== 'human') return 'is no person: bots stay with their tokens';
  await tx
    .insertInto('grants')
    .values({ ...place, user_id: userId, level, expires_at: until ?? null, created_by_id: importerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return null;
}

export async function removeMembers(tx: Db, projectId: number): Promise<void> {
  await sql`delete from grants g where project_id = ${projectId} and user_id is distinct from
    (select i.user_id from project_imports i where i.project_id = ${projectId})`.execute(tx);
}

/** Whoever made the group stays: that is how they came to it. */
export async function removeGroupMembers(tx: Db, groupId: number): Promise<void> {
  await sql`delete from grants g where namespace_id = ${groupId} and group_id is null and user_id is distinct from
    (select n.created_by_id from namespaces n where n.id = ${groupId})`.execute(tx);
}
