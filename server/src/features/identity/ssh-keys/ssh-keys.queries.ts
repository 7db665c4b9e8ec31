/** Rows of `ssh_keys`. */
import type { Insertable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { SshKey } from '../../../kernel/db/rows.ts';
import type { SshKeysTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export async function insertSshKey(tx: Db, key: Insertable<SshKeysTable>): Promise<SshKey> {
  return await tx.insertInto('ssh_keys').values(key).returningAll().executeTakeFirstOrThrow();
}

export async function listSshKeys(
  db: Db,
  userId: number,
  window: { readonly limit: number; readonly offset: number },
): Promise<SshKey[]> {
  return await db
    .selectFrom('ssh_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

export const countSshKeys = (db: Db, userId: number): Promise<number> =>
  countUpTo(db, db.selectFrom('ssh_keys').select('id').where('user_id', '=', userId));

export async function findSshKey(db: Db, id: number): Promise<SshKey | undefined> {
  return await db.selectFrom('ssh_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findSshKeyByFingerprint(
  db: Db,
  fingerprint: { readonly md5: string } | { readonly sha256: string },
): Promise<SshKey | undefined> {
  const query = db.selectFrom('ssh_keys').selectAll();
  return 'md5' in fingerprint
    ? await query.where('fingerprint', '=', fingerprint.md5).orderBy('id').executeTakeFirst()
    : await query.where('fingerprint_sha256', '=', fingerprint.sha256).executeTakeFirst();
}

export async function deleteSshKey(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('ssh_keys').where('id', '=', id).execute();
}
