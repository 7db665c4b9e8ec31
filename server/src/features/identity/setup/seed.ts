/** The first administrator, made when the database is new. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { Passwords } from '../passwords/index.ts';
import { allScopes, insertToken } from '../tokens/index.ts';
import { findUser, insertUser, moveUserSequence, type UserCreatedHook } from '../users/index.ts';

export interface SeedRoot {
  readonly password: string;
  /** A personal access token with all scopes, when one was given. */
  readonly token?: string | undefined;
}

/**
 * Makes `root` with id 1, its namespace and its token; false when there is one already. The caller holds the lock under
 * which the schema is migrated.
 */
export async function seedRoot(
  db: Db,
  passwords: Passwords,
  userCreated: UserCreatedHook,
  { password, token }: SeedRoot,
): Promise<boolean> {
  if (await findUser(db, 1)) return false;
  const passwordHash = await passwords.hash(password);
  await transaction(db, async (tx) => {
    const root = await insertUser(tx, {
      id: 1,
      username: 'root',
      name: 'Administrator',
      email: 'admin@example.com',
      admin: true,
      password_hash: passwordHash,
      confirmed_at: new Date(),
    });
    await moveUserSequence(tx);
    await userCreated(tx, root);
    if (token === undefined) return;
    await insertToken(tx, {
      kind: 'personal',
      user_id: root.id,
      name: 'Initial token',
      token_sha256: tokenHash(token),
      scopes: [...allScopes],
      created_by_id: root.id,
    });
  });
  return true;
}
