/** Rows of `oauth_applications`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { OauthApplication } from '../../../kernel/db/rows.ts';
import type { OauthApplicationsTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

/** Whose applications: a person's, a group's, or the instance's. */
export type ApplicationOwner =
  | { readonly kind: 'instance' }
  | { readonly kind: 'user'; readonly id: number }
  | { readonly kind: 'group'; readonly id: number };

export const ownerColumns = (owner: ApplicationOwner) => ({
  user_id: owner.kind === 'user' ? owner.id : null,
  namespace_id: owner.kind === 'group' ? owner.id : null,
});

function owned(db: Db, owner: ApplicationOwner) {
  const { user_id, namespace_id } = ownerColumns(owner);
  return db
    .selectFrom('oauth_applications')
    .where('user_id', user_id === null ? 'is' : '=', user_id)
    .where('namespace_id', namespace_id === null ? 'is' : '=', namespace_id);
}

export async function insertApplication(tx: Db, values: Insertable<OauthApplicationsTable>): Promise<OauthApplication> {
  return await tx.insertInto('oauth_applications').values(values).returningAll().executeTakeFirstOrThrow();
}

export async function listApplications(
  db: Db,
  owner: ApplicationOwner,
  window: { readonly limit: number; readonly offset: number },
): Promise<OauthApplication[]> {
  return await owned(db, owner).selectAll().orderBy('id').limit(window.limit).offset(window.offset).execute();
}

export const countApplications = (db: Db, owner: ApplicationOwner): Promise<number> =>
  countUpTo(db, owned(db, owner).select('id'));

export async function findApplicationOf(
  db: Db,
  owner: ApplicationOwner,
  id: number,
): Promise<OauthApplication | undefined> {
  return await owned(db, owner).selectAll().where('id', '=', id).executeTakeFirst();
}

/** The application with this `client_id`. */
export async function findApplication(db: Db, uid: string): Promise<OauthApplication | undefined> {
  return await db.selectFrom('oauth_applications').selectAll().where('uid', '=', uid).executeTakeFirst();
}

export async function findApplicationById(db: Db, id: number): Promise<OauthApplication | undefined> {
  return await db.selectFrom('oauth_applications').selectAll().where('id', '=', id).executeTakeFirst();
}

/** What people read of whose application it is. */
export async function ownerName(db: Db, row: OauthApplication): Promise<string | null> {
  if (row.user_id !== null) {
    const user = await db.selectFrom('users').select('username').where('id', '=', row.user_id).executeTakeFirst();
    return user ? `@${user.username}` : null;
  }
  if (row.namespace_id === null) return null;
  const group = await db
    .selectFrom('namespaces')
    .select('full_path')
    .where('id', '=', row.namespace_id)
    .executeTakeFirst();
  return group?.full_path ?? null;
}

export async function updateApplication(
  tx: Db,
  id: number,
  values: Updateable<OauthApplicationsTable>,
): Promise<OauthApplication | undefined> {
  return await tx
    .updateTable('oauth_applications')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteApplication(tx: Db, id: number): Promise<boolean> {
  return (
    (await tx.deleteFrom('oauth_applications').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
  );
}

/** Ends every consent to scopes that the application no longer has, with its tokens. */
export async function revokeWider(tx: Db, id: number, scopes: readonly string[]): Promise<void> {
  await sql`
    with ended as (
      update oauth_authorizations set revoked_at = now()
      where application_id = ${id} and revoked_at is null and not scopes <@ ${[...scopes]}::text[]
      returning id)
    update oauth_tokens set revoked_at = now()
    where revoked_at is null and authorization_id in (select id from ended)`.execute(tx);
}
