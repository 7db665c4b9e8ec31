/** Tokens with which runners register themselves: one per owner, replaced by a reset. */
import type { Db } from '../../../kernel/db/index.ts';

export interface RegistrationOwner {
  readonly namespaceId: number | null;
  readonly projectId: number | null;
}

/** Stores the owner's token; the one before stops to work. */
export async function replaceRegistrationToken(tx: Db, owner: RegistrationOwner, tokenSha256: Buffer): Promise<void> {
  await tx
    .deleteFrom('runner_registration_tokens')
    .where('namespace_id', owner.namespaceId === null ? 'is' : '=', owner.namespaceId)
    .where('project_id', owner.projectId === null ? 'is' : '=', owner.projectId)
    .execute();
  await tx
    .insertInto('runner_registration_tokens')
    .values({ namespace_id: owner.namespaceId, project_id: owner.projectId, token_sha256: tokenSha256 })
    .execute();
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
