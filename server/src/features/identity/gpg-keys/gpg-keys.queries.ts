/** Rows of `gpg_keys` and their subkeys. */
import type { Db } from '../../../kernel/db/index.ts';
import type { GpgKey } from '../../../kernel/db/rows.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { ParsedGpgKey } from './parse.ts';

export async function insertGpgKey(tx: Db, userId: number, text: string, parsed: ParsedGpgKey): Promise<GpgKey> {
  const row = await tx
    .insertInto('gpg_keys')
    .values({
      user_id: userId,
      key: text,
      fingerprint: parsed.fingerprint,
      primary_keyid: parsed.keyid,
      emails: [...parsed.emails],
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const subkeys = parsed.subkeys.map((subkey) => ({ gpg_key_id: row.id, ...subkey }));
  if (subkeys.length > 0)
    await tx
      .insertInto('gpg_key_subkeys')
      .values(subkeys)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return row;
}

export async function listGpgKeys(
  db: Db,
  userId: number,
  window: { readonly limit: number; readonly offset: number },
): Promise<GpgKey[]> {
  return await db
    .selectFrom('gpg_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export const countGpgKeys = (db: Db, userId: number): Promise<number> =>
  countUpTo(db, db.selectFrom('gpg_keys').select('id').where('user_id', '=', userId));

export async function findGpgKey(db: Db, userId: number, id: number): Promise<GpgKey | undefined> {
  return await db
    .selectFrom('gpg_keys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

/** False when it was removed meanwhile. */
export async function deleteGpgKey(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('gpg_keys').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
