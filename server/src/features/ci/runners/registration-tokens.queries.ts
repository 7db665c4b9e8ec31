/** Tokens with which runners register themselves: one per owner, replaced by a reset. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface RegistrationOwner {
  readonly namespaceId: number | null;
  readonly projectId: number | null;
}

interface StoredToken {
  readonly token_sha256: Buffer;
  /** For those who may read it back. */
  readonly token_sealed: Buffer;
}

/** Stores the owner's token; the one before stops to work. */
export async function replaceRegistrationToken(tx: Db, owner: RegistrationOwner, token: StoredToken): Promise<void> {
  await tx
    .insertInto('runner_registration_tokens')
    .values({ namespace_id: owner.namespaceId, project_id: owner.projectId, ...token })
    .onConflict((taken) =>
      taken
        .expression(sql`coalesce(namespace_id, 0), coalesce(project_id, 0)`)
        .doUpdateSet({ ...token, created_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Stores the owner's first token; does nothing where there is one. */
export async function insertRegistrationToken(tx: Db, owner: RegistrationOwner, token: StoredToken): Promise<void> {
  await tx
    .insertInto('runner_registration_tokens')
    .values({ namespace_id: owner.namespaceId, project_id: owner.projectId, ...token })
    .onConflict((taken) => taken.expression(sql`coalesce(namespace_id, 0), coalesce(project_id, 0)`).doNothing())
    .execute();
}

/** The owner's token as it is stored; sealed tokens are newer than the table. */
export async function sealedRegistrationToken(
  db: Db,
  { namespaceId, projectId }: RegistrationOwner,
): Promise<{ token_sealed: Buffer | null } | undefined> {
  return await db
    .selectFrom('runner_registration_tokens')
    .select('token_sealed')
    .where(sql`coalesce(namespace_id, 0)`, '=', namespaceId ?? 0)
    .where(sql`coalesce(project_id, 0)`, '=', projectId ?? 0)
    .executeTakeFirst();
}

/** Whose token it is. */
export async function registrationOwner(db: Db, tokenSha256: Buffer): Promise<RegistrationOwner | undefined> {
  const row = await db
    .selectFrom('runner_registration_tokens')
    .select(['namespace_id', 'project_id'])
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst();
  return row && { namespaceId: row.namespace_id, projectId: row.project_id };
}
