/** SQL of the key's fingerprint. */
import type { Db } from '../db/index.ts';

/** Records the fingerprint if there is none yet; returns the recorded one. */
export async function claimFingerprint(db: Db, fingerprint: string): Promise<string> {
  await db
    .insertInto('instance_state')
    .values({ key: 'secrets_fingerprint', value: JSON.stringify(fingerprint) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const row = await db
    .selectFrom('instance_state')
    .select('value')
    .where('key', '=', 'secrets_fingerprint')
    .executeTakeFirstOrThrow();
  return String(row.value);
}
