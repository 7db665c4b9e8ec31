/** SQL of the keys that ID tokens are signed with, and of what they say of people. */
import type { Db } from '../../../kernel/db/index.ts';
import type { IdTokenKey } from '../../../kernel/db/rows.ts';

/** Oldest first: all processes sign with the first one. */
export async function signingKeys(db: Db): Promise<IdTokenKey[]> {
  return await db.selectFrom('id_token_keys').selectAll().orderBy('created_at').orderBy('kid').execute();
}

/** The accounts of a person at other services. */
export async function identitiesOf(db: Db, userId: number): Promise<Array<{ provider: string; extern_uid: string }>> {
  return await db
    .selectFrom('identities')
    .select(['provider', 'extern_uid'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

export async function insertSigningKey(
  db: Db,
  key: { readonly kid: string; readonly publicJwk: object; readonly sealed: Buffer },
): Promise<void> {
  await db
    .insertInto('id_token_keys')
    .values({ kid: key.kid, public_jwk: JSON.stringify(key.publicJwk), private_key_sealed: key.sealed })
    .execute();
}
