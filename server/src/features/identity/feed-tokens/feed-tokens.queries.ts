/** The feed token of each user: found by its hash, kept sealed to be shown again. */
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';

export async function findByFeedToken(db: Db, sha256: Buffer): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where('feed_token_sha256', '=', sha256)
    .where('state', '=', 'active')
    .executeTakeFirst();
}

export async function sealedFeedToken(db: Db, userId: number): Promise<Buffer | null> {
  const row = await db
    .selectFrom('users')
    .select('feed_token_encrypted')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return row.feed_token_encrypted;
}

export async function saveFeedToken(tx: Db, userId: number, sha256: Buffer, sealed: Buffer): Promise<void> {
  await tx
    .updateTable('users')
    .set({ feed_token_sha256: sha256, feed_token_encrypted: sealed })
    .where('id', '=', userId)
    .execute();
}
