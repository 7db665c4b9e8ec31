/** Rows of `ssh_keys`. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { SshKey, User } from '../../../kernel/db/rows.ts';
import type { ProjectDeployKeysTable, SshKeysTable } from '../../../kernel/db/tables.ts';
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

export async function hasSshKeys(db: Db, userId: number): Promise<boolean> {
  const found = db.selectFrom('ssh_keys').select('id').where('user_id', '=', userId).limit(1);
  return (await found.executeTakeFirst()) !== undefined;
}

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

/** The projects that a deploy key is for, by id. */
export async function deployKeyProjects(db: Db, keyId: number): Promise<Selectable<ProjectDeployKeysTable>[]> {
  return await db.selectFrom('project_deploy_keys').selectAll().where('key_id', '=', keyId).orderBy('id').execute();
}

/** False when it was removed meanwhile. */
export async function deleteSshKey(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('ssh_keys').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

export const deleteSshKeysOf = (tx: Db, userId: number): Promise<SshKey[]> =>
  tx.deleteFrom('ssh_keys').where('user_id', '=', userId).returningAll().execute();

export interface KeyHolder {
  readonly key: Pick<SshKey, 'id' | 'kind' | 'title' | 'key' | 'usage_type' | 'expires_at' | 'verified_until'>;
  /** Whose key it is; of a deploy key who made it. Null when they are gone. */
  readonly user: User | null;
}

const holders = (db: Db) =>
  db
    .selectFrom('ssh_keys')
    .leftJoin('users', (join) =>
      join.on((on) => on('users.id', '=', on.fn.coalesce('ssh_keys.user_id', 'ssh_keys.created_by_id'))),
    )
    .selectAll('users')
    .select([
      'ssh_keys.id as key_id',
      'ssh_keys.kind as key_kind',
      'ssh_keys.title as key_title',
      'ssh_keys.key as key_text',
      'ssh_keys.usage_type as key_usage_type',
      'ssh_keys.expires_at as key_expires_at',
      'ssh_keys.verified_until as key_verified_until',
    ]);

/** A key and who stands behind it, by its fingerprint or its id: one indexed read. */
export async function findKeyHolder(
  db: Db,
  wanted: { readonly sha256: string } | { readonly id: number },
): Promise<KeyHolder | undefined> {
  const row = await ('id' in wanted
    ? holders(db).where('ssh_keys.id', '=', wanted.id)
    : holders(db).where('ssh_keys.fingerprint_sha256', '=', wanted.sha256)
  ).executeTakeFirst();
  if (!row) return undefined;
  const {
    key_id: id,
    key_kind: kind,
    key_title: title,
    key_text: key,
    key_usage_type: usage_type,
    key_expires_at: expires_at,
    key_verified_until: verified_until,
    ...user
  } = row;
  return {
    key: { id, kind, title, key, usage_type, expires_at, verified_until },
    user: user.id === null ? null : (user as User),
  };
}

/** Notes that keys were used now. */
export async function touchSshKeys(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .updateTable('ssh_keys')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', 'in', [...ids])
    .execute();
}

/** A second factor was proved with the key. */
export async function noteVerification(db: Db, id: number, until: Date): Promise<void> {
  await db.updateTable('ssh_keys').set({ verified_until: until }).where('id', '=', id).execute();
}
