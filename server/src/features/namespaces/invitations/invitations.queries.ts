/** Rows of `member_invitations`. One whose link has expired is as if it were not there. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { MemberInvitationsTable } from '../../../kernel/db/tables.ts';
import type { Place } from '../members/members.queries.ts';

export type MemberInvitation = Selectable<MemberInvitationsTable>;

/** Days that a link works. */
export const invitationDays = 30;

const columnOf = (place: Place) => (place.kind === 'project' ? 'project_id' : 'namespace_id');
const fresh = sql<boolean>`member_invitations.sent_at > now() - make_interval(days => ${invitationDays})`;

export interface ListedInvitation extends MemberInvitation {
  readonly created_by_name: string | null;
  readonly created_by_username: string | null;
}

const found = (place: Place, email: string | null) => sql`
  from member_invitations left join users u on u.id = member_invitations.created_by_id
  where ${sql.ref(`member_invitations.${columnOf(place)}`)} = ${place.id} and ${fresh}
    and (${email}::text is null or lower(member_invitations.email) = lower(${email}))`;

export async function listInvitations(
  db: Db,
  place: Place,
  email: string | null,
  window: { readonly limit: number; readonly offset: number },
): Promise<ListedInvitation[]> {
  const { rows } = await sql<ListedInvitation>`
    select member_invitations.*, u.name as created_by_name, u.username as created_by_username ${found(place, email)}
    order by member_invitations.id limit ${window.limit} offset ${window.offset}`.execute(db);
  return rows;
}

export async function countInvitations(db: Db, place: Place, email: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 ${found(place, email)} limit 10001) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

export interface NewInvitation {
  readonly email: string;
  readonly level: number;
  readonly expiresAt: string | null;
  readonly source: string | null;
  readonly tokenSha256: Buffer;
  readonly createdById: number | null;
}

/** Undefined when the address is invited already. */
export async function insertInvitation(
  tx: Db,
  place: Place,
  values: NewInvitation,
): Promise<MemberInvitation | undefined> {
  // Links that no longer work have no other use.
  await tx.deleteFrom('member_invitations').where(sql<boolean>`not ${fresh}`).execute();
  return await tx
    .insertInto('member_invitations')
    .values({
      [columnOf(place)]: place.id,
      email: values.email,
      level: values.level,
      expires_at: values.expiresAt,
      invite_source: values.source,
      token_sha256: values.tokenSha256,
      created_by_id: values.createdById,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function findInvitation(db: Db, place: Place, email: string): Promise<MemberInvitation | undefined> {
  return await db
    .selectFrom('member_invitations')
    .selectAll()
    .where(columnOf(place), '=', place.id)
    .where(sql`lower(email)`, '=', email.toLowerCase())
    .where(fresh)
    .executeTakeFirst();
}

/** By the token of a link. `forUpdate` keeps a second click waiting until the first is done. */
export async function findInvitationByToken(
  db: Db,
  hash: Buffer,
  forUpdate: boolean,
): Promise<MemberInvitation | undefined> {
  const query = db.selectFrom('member_invitations').selectAll().where('token_sha256', '=', hash).where(fresh);
  return await (forUpdate ? query.forUpdate() : query).executeTakeFirst();
}

export async function updateInvitation(
  tx: Db,
  id: number,
  changes: { readonly level?: number; readonly expires_at?: string | null },
): Promise<void> {
  await tx
    .updateTable('member_invitations')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

/** False when it was removed meanwhile. */
export async function deleteInvitation(tx: Db, id: number): Promise<boolean> {
  return (
    (await tx.deleteFrom('member_invitations').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
  );
}

/** Whose confirmed address it is. */
export async function findConfirmedUser(db: Db, email: string): Promise<User | undefined> {
  const { rows } = await sql<User>`
    select u.* from users u where lower(u.email) = lower(${email}) and u.confirmed_at is not null
    union all
    select u.* from emails e join users u on u.id = e.user_id
      where lower(e.email) = lower(${email}) and e.confirmed_at is not null
    limit 1`.execute(db);
  return rows[0];
}
