/** Rows of `users`. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { UsersTable } from '../../../kernel/db/tables.ts';
import type { CursorValues } from '../../../kernel/http/pagination.ts';
import { type Direction, idOrder, type KeysetOrder, keysetOrder } from '../../../kernel/http/paging.queries.ts';
import type { AccountRow, ReferenceRow } from './users.entity.ts';

export type NewUser = Insertable<UsersTable>;

const referenceColumns = [
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

/** By user name or, when the text has an `@`, by e-mail address. Both ignore case. */
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

/** Adds what the administrator's view tells besides the row. */
export async function withAccounts(db: Db, users: readonly User[]): Promise<AccountRow[]> {
  if (users.length === 0) return [];
  const ids = users.map((user) => user.id);
  const spaces = await db
    .selectFrom('namespaces')
    .select(['id', 'owner_id'])
    .where('kind', '=', 'user')
    .where('owner_id', 'in', ids)
    .execute();
  const space = new Map(spaces.map((row) => [row.owner_id, row.id]));
  const creators = await findReferences(
    db,
    users.flatMap((user) => user.created_by_id ?? []),
  );
  return users.map((user) => ({
    ...user,
    namespace_id: space.get(user.id) ?? null,
    created_by: creators.get(user.created_by_id ?? 0) ?? null,
  }));
}

/** Whether another group or user has the path that a new user's namespace would get. */
export async function pathTaken(db: Db, username: string): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('id')
    .where(sql`lower(full_path)`, '=', username.toLowerCase())
    .executeTakeFirst();
  return row !== undefined;
}

/** Sets the password's hash and ends a lock of failed attempts. */
export async function updatePassword(db: Db, id: number, passwordHash: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: passwordHash, failed_attempts: 0, locked_until: null, updated_at: sql`now()` })
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
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
  readonly id_after?: number | undefined;
  readonly id_before?: number | undefined;
  /** Whether a search for an address also finds addresses that are not public. */
  readonly privateEmails: boolean;
}

export type UserOrder = 'id' | 'name' | 'username' | 'created_at' | 'updated_at';

export interface UserWindow {
  readonly order: KeysetOrder<User>;
  readonly limit: number;
  readonly after: CursorValues | null;
}

const likePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

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

function filtered(db: Db, filter: UserFilter) {
  let query = db.selectFrom('users').selectAll('users');
  if (filter.username !== undefined)
    query = query.where(sql`lower(users.username)`, '=', filter.username.toLowerCase());
  if (filter.public_email !== undefined)
    query = query.where(sql`lower(users.public_email)`, '=', filter.public_email.toLowerCase());
  const search = filter.search;
  if (search !== undefined && search !== '') {
    query = query.where((where) =>
      where.or([
        where('users.username', 'ilike', likePattern(search)),
        where('users.name', 'ilike', likePattern(search)),
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
