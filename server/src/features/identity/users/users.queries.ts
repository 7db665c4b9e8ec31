/** Rows of `users`. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { UsersTable } from '../../../kernel/db/tables.ts';
import type { CursorValues } from '../../../kernel/http/pagination.ts';
import { type Direction, idOrder, type KeysetOrder, keysetOrder } from '../../../kernel/http/paging.queries.ts';
import { ofKind, type UserKind } from './kinds.queries.ts';
import type { ReferenceRow } from './users.entity.ts';

export type NewUser = Insertable<UsersTable>;

export const referenceColumns = [
  'id',
  'username',
  'name',
  'state',
  'public_email',
  'locked_until',
  'avatar_object_key',
] as const satisfies ReadonlyArray<keyof Selectable<UsersTable>>;

export async function insertUser(db: Db, user: NewUser): Promise<User> {
  return await db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow();
}

/** Moves the id sequence past rows that were inserted with an id. */
export async function moveUserSequence(db: Db): Promise<void> {
  await sql`select setval(pg_get_serial_sequence('users', 'id'), (select max(id) from users))`.execute(db);
}

export async function findUser(db: Db, id: number): Promise<User | undefined> {
  return await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findUserByUsername(db: Db, username: string): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(username)`, '=', username.toLowerCase())
    .executeTakeFirst();
}

/** Ids of the active users of these names. */
export async function usersMentioned(db: Db, usernames: readonly string[]): Promise<number[]> {
  if (usernames.length === 0) return [];
  const names = usernames.map((username) => username.toLowerCase());
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where(sql<string>`lower(username)`, 'in', names)
    .where('state', '=', 'active')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Names of the users that exist among usernames, whatever their case. */
export async function findMentioned(db: Db, usernames: readonly string[]): Promise<Pick<User, 'username' | 'name'>[]> {
  if (usernames.length === 0) return [];
  return await db
    .selectFrom('users')
    .select(['username', 'name'])
    .where(
      sql<string>`lower(username)`,
      'in',
      usernames.map((username) => username.toLowerCase()),
    )
    .execute();
}

/** By username or, when the text has an `@`, by email address. Both ignore case. */
export async function findUserByLogin(db: Db, login: string): Promise<User | undefined> {
  const text = login.toLowerCase();
  const column = text.includes('@') ? sql`lower(email)` : sql`lower(username)`;
  return await db.selectFrom('users').selectAll().where(column, '=', text).executeTakeFirst();
}

/** The references of several users by id, for embedding. */
export async function findReferences(db: Db, ids: readonly number[]): Promise<Map<number, ReferenceRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(referenceColumns)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Changes columns of one user; the row as it is then. */
export async function updateUser(tx: Db, id: number, changes: Updateable<UsersTable>): Promise<User> {
  return await tx
    .updateTable('users')
    .set({ ...changes, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The row, locked until the transaction ends. */
export async function lockUser(tx: Db, id: number): Promise<User | undefined> {
  return await tx.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Ids of the administrators who can sign in, locked, so that two cannot remove each other at once. */
export async function lockAdministrators(tx: Db): Promise<number[]> {
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('admin', '=', true)
    .where('state', '=', 'active')
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

/** Remembers a link that sets the password; one that was sent before no longer works. */
export async function setResetToken(tx: Db, id: number, tokenSha256: Buffer): Promise<void> {
  await tx
    .updateTable('users')
    .set({ reset_password_token_sha256: tokenSha256, reset_password_sent_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

export interface NewIdentity {
  readonly provider: string;
  readonly extern_uid: string;
  readonly saml_provider_id: number | null;
}

/** Binds a user to a person at a provider; replaces the binding to the same provider. */
export async function insertIdentity(tx: Db, userId: number, identity: NewIdentity): Promise<void> {
  await tx
    .insertInto('identities')
    .values({ user_id: userId, ...identity })
    .onConflict((conflict) =>
      conflict
        .constraint('identities_user_provider_key')
        .doUpdateSet({ extern_uid: identity.extern_uid, saml_provider_id: identity.saml_provider_id }),
    )
    .execute();
}

/** False when the user has no such identity. */
export async function deleteIdentity(tx: Db, userId: number, provider: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** By id when the text is a number, else by username. */
export async function findUserByIdOrName(db: Db, text: string): Promise<User | undefined> {
  return /^\d{1,15}$/.test(text) ? await findUser(db, Number(text)) : await findUserByUsername(db, text);
}

/** Whether another group or user has the path that a new user's namespace would get. */
export async function pathTaken(db: Db, username: string): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('id')
    .where(sql`coalesce(parent_id, 0)`, '=', 0)
    .where(sql`lower(path)`, '=', username.toLowerCase())
    .executeTakeFirst();
  return row !== undefined;
}

/** Sets the password's hash; ends a lock of failed attempts, and links that would set another. */
export async function updatePassword(db: Db, id: number, passwordHash: string, expired = false): Promise<void> {
  await db
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      password_expired: expired,
      failed_attempts: 0,
      locked_until: null,
      reset_password_token_sha256: null,
      reset_password_sent_at: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .execute();
}

export interface UserFilter {
  readonly username?: string | undefined;
  readonly search?: string | undefined;
  readonly public_email?: string | undefined;
  readonly active?: boolean | undefined;
  readonly exclude_active?: boolean | undefined;
  readonly blocked?: boolean | undefined;
  readonly external?: boolean | undefined;
  readonly exclude_external?: boolean | undefined;
  readonly humans?: boolean | undefined;
  readonly exclude_humans?: boolean | undefined;
  readonly exclude_internal?: boolean | undefined;
  readonly without_project_bots?: boolean | undefined;
  readonly without_projects?: boolean | undefined;
  readonly admins?: boolean | undefined;
  readonly auditors?: boolean | undefined;
  /** Who is known to the SAML provider of a group. */
  readonly saml_provider_id?: number | undefined;
  readonly two_factor?: 'enabled' | 'disabled' | undefined;
  readonly skip_ldap?: boolean | undefined;
  /** Who is this person at the provider. */
  readonly identity?: { readonly provider: string; readonly extern_uid: string } | undefined;
  readonly custom_attributes?: Readonly<Record<string, string>> | undefined;
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
  readonly id_after?: number | undefined;
  readonly id_before?: number | undefined;
  readonly filter?: UserKind | undefined;
  /** Whether a search for an address also finds addresses that are not public. */
  readonly privateEmails: boolean;
}

export type UserOrder = 'id' | 'name' | 'username' | 'created_at' | 'updated_at';

export interface UserWindow {
  readonly order: KeysetOrder<User>;
  readonly limit: number;
  readonly after: CursorValues | null;
}

const orderColumns = {
  name: { expression: sql`lower(users.name)`, type: 'text', folded: true },
  username: { expression: sql`lower(users.username)`, type: 'text', folded: true },
  created_at: { expression: sql`users.created_at`, type: 'time' },
  updated_at: { expression: sql`users.updated_at`, type: 'time' },
} as const;

const byId = (direction: Direction) =>
  ({ name: 'id', expression: sql`users.id`, type: 'integer', direction, value: (user: User) => user.id }) as const;

/** The orders in which users are listed. */
export function userOrder(name: UserOrder, direction: Direction): KeysetOrder<User> {
  if (name === 'id') return idOrder<User>(direction, sql`users.id`);
  return keysetOrder<User>([{ ...orderColumns[name], name, direction, value: (user) => user[name] }, byId(direction)]);
}

function filtered(db: Db, filter: UserFilter): Filtered {
  let query = allUsers(db);
  if (filter.username !== undefined)
    query = query.where(sql`lower(users.username)`, '=', filter.username.toLowerCase());
  if (filter.public_email !== undefined)
    query = query.where(sql`lower(users.public_email)`, '=', filter.public_email.toLowerCase());
  const search = filter.search;
  if (search !== undefined && search !== '') {
    query = query.where((where) =>
      where.or([
        where('users.username', 'ilike', containing(search)),
        where('users.name', 'ilike', containing(search)),
        where(
          filter.privateEmails ? sql`lower(users.email)` : sql`lower(users.public_email)`,
          '=',
          search.toLowerCase(),
        ),
      ]),
    );
  }
  if (filter.active) query = query.where('users.state', '=', 'active').where('users.user_type', '<>', 'ghost');
  if (filter.exclude_active) query = query.where('users.state', '<>', 'active');
  if (filter.blocked) query = query.where('users.state', 'in', ['blocked', 'banned', 'blocked_pending_approval']);
  if (filter.external) query = query.where('users.external', '=', true);
  if (filter.exclude_external) query = query.where('users.external', '=', false);
  if (filter.humans) query = query.where('users.user_type', '=', 'human');
  if (filter.exclude_humans) query = query.where('users.user_type', '<>', 'human');
  if (filter.exclude_internal) query = query.where('users.user_type', '<>', 'ghost');
  if (filter.without_project_bots) query = query.where('users.user_type', '<>', 'project_bot');
  if (filter.without_projects)
    query = query.where((where) =>
      where.not(
        where.exists(
          where.selectFrom('projects').select('projects.id').whereRef('projects.creator_id', '=', 'users.id'),
        ),
      ),
    );
  if (filter.admins) query = query.where('users.admin', '=', true);
  return byDetails(query, filter);
}

type Filtered = ReturnType<typeof allUsers>;
const allUsers = (db: Db) => db.selectFrom('users').selectAll('users');

/** The filters that only few lists have. */
function byDetails(all: Filtered, filter: UserFilter): Filtered {
  let query = all;
  if (filter.filter) query = query.where(ofKind(filter.filter));
  if (filter.two_factor) query = query.where('users.two_factor_enabled', '=', filter.two_factor === 'enabled');
  if (filter.auditors) query = query.where('users.auditor', '=', true);
  if (filter.saml_provider_id !== undefined)
    query = query.where(
      sql<boolean>`users.id in (select i.user_id from identities i where i.saml_provider_id = ${filter.saml_provider_id})`,
    );
  if (filter.skip_ldap)
    query = query.where(
      sql<boolean>`not exists (select from identities i where i.user_id = users.id and i.provider like 'ldap%')`,
    );
  const { identity } = filter;
  if (identity)
    query = query.where(
      sql<boolean>`users.id in (select i.user_id from identities i
        where i.provider = ${identity.provider} and i.extern_uid = ${identity.extern_uid})`,
    );
  for (const [key, value] of Object.entries(filter.custom_attributes ?? {}))
    query = query.where(
      sql<boolean>`users.id in (select a.user_id from user_custom_attributes a where a.key = ${key} and a.value = ${value})`,
    );
  if (filter.created_after) query = query.where('users.created_at', '>=', filter.created_after);
  if (filter.created_before) query = query.where('users.created_at', '<=', filter.created_before);
  if (filter.id_after !== undefined) query = query.where('users.id', '>', filter.id_after);
  if (filter.id_before !== undefined) query = query.where('users.id', '<', filter.id_before);
  return query;
}

/** One keyset page of users. */
export async function listUsers(db: Db, filter: UserFilter, { order, limit, after }: UserWindow): Promise<User[]> {
  const continued = order.after(after);
  const query = filtered(db, filter);
  return await (continued ? query.where(continued) : query).orderBy(order.orderBy).limit(limit).execute();
}
