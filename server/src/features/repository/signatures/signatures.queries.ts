/** Whose the keys are that commits and tags are signed with, and whose an address is. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { GpgKey, SshKey } from '../../../kernel/db/rows.ts';

export interface KeyOwner {
  readonly user_id: number;
  readonly name: string;
  readonly username: string;
}

/** The key that somebody signs with; keys that are only for signing in prove nothing about files. */
export async function signingKey(db: Db, fingerprint: string): Promise<(SshKey & { readonly owner: KeyOwner }) | null> {
  const row = await db
    .selectFrom('ssh_keys')
    .innerJoin('users', 'users.id', 'ssh_keys.user_id')
    .selectAll('ssh_keys')
    .select(['users.name', 'users.username', 'users.id as owner_id'])
    .where('fingerprint_sha256', '=', fingerprint)
    .where('usage_type', '!=', 'auth')
    .where('kind', '=', 'user')
    .executeTakeFirst();
  if (!row) return null;
  const { name, username, owner_id: user_id, ...key } = row;
  return { ...key, owner: { user_id, name, username } };
}

/** The key that has an id itself or by one of its subkeys. */
export async function gpgKeyWith(
  db: Db,
  keyid: string,
): Promise<{ readonly key: GpgKey; readonly owner: KeyOwner } | null> {
  const row = await db
    .selectFrom('gpg_keys')
    .innerJoin('users', 'users.id', 'gpg_keys.user_id')
    .selectAll('gpg_keys')
    .select(['users.name', 'users.username'])
    .where((where) =>
      where.or([
        where('primary_keyid', '=', keyid),
        where('gpg_keys.id', 'in', (from) =>
          from.selectFrom('gpg_key_subkeys').select('gpg_key_id').where('keyid', '=', keyid),
        ),
      ]),
    )
    .orderBy('gpg_keys.id')
    .executeTakeFirst();
  if (!row) return null;
  const { name, username, ...key } = row;
  return { key, owner: { user_id: key.user_id, name, username } };
}

/** A person's addresses in lower case, and which of them are confirmed. */
export async function addressesWithProof(db: Db, userId: number): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await sql<{ email: string; confirmed: boolean }>`
    select lower(email) as email, confirmed_at is not null as confirmed from emails where user_id = ${userId}
    union all
    select lower(email), confirmed_at is not null from users where id = ${userId}`.execute(db);
  return new Map(rows.map(({ email, confirmed }) => [email, confirmed]));
}
