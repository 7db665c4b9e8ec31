/** Kinds of accounts that administrators look for, and how many there are of each. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { countLimit } from '../../../kernel/http/pagination.ts';

/** Kinds by name; those that the API's own filters have besides are here for their counts. */
const kinds = {
  active: sql<boolean>`users.state = 'active' and users.user_type <> 'ghost'`,
  admins: sql<boolean>`users.admin`,
  blocked: sql<boolean>`users.state = 'blocked'`,
  blocked_pending_approval: sql<boolean>`users.state = 'blocked_pending_approval'`,
  banned: sql<boolean>`users.state = 'banned'`,
  deactivated: sql<boolean>`users.state = 'deactivated'`,
  locked: sql<boolean>`users.locked_until > now()`,
  external: sql<boolean>`users.external`,
  bots: sql<boolean>`users.user_type in ('project_bot', 'group_bot')`,
  service_accounts: sql<boolean>`users.user_type = 'service_account'`,
  two_factor_enabled: sql<boolean>`users.two_factor_enabled`,
  two_factor_disabled: sql<boolean>`not users.two_factor_enabled and users.user_type = 'human'`,
} as const satisfies Readonly<Record<string, RawBuilder<boolean>>>;

export type UserKind = keyof typeof kinds;
export const userKinds = Object.keys(kinds) as UserKind[];

export const ofKind = (kind: UserKind): RawBuilder<boolean> => kinds[kind];

/** How many accounts there are of each kind, each counted up to one more than is ever told. */
export async function countKinds(db: Db): Promise<Readonly<Record<UserKind, number>>> {
  const counts = userKinds.map(
    (kind) => sql`(select count(*)::int from (select from users where ${kinds[kind]} limit ${countLimit + 1}) u)
      as ${sql.id(kind)}`,
  );
  const { rows } = await sql<Record<UserKind, number>>`select ${sql.join(counts)}`.execute(db);
  return rows[0] as Record<UserKind, number>;
}
