/** Rows of `lfs_locks`: who keeps which files for themselves. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export interface LfsLock {
  readonly id: number;
  readonly path: string;
  readonly created_at: Date;
  readonly user_id: number;
  readonly username: string;
  readonly name: string;
}

const lockRows = (db: Db, projectId: number) =>
  db
    .selectFrom('lfs_locks as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.id', 'l.path', 'l.created_at', 'l.user_id', 'u.username', 'u.name'])
    .where('l.project_id', '=', projectId);

export interface LockWindow {
  readonly path?: string | undefined;
  readonly id?: number | undefined;
  /** Only later ones. */
  readonly after: number;
  readonly limit: number;
}

export async function listLocks(db: Db, projectId: number, { path, id, after, limit }: LockWindow): Promise<LfsLock[]> {
  let rows = lockRows(db, projectId).where('l.id', '>', after);
  if (path !== undefined) rows = rows.where('l.path', '=', path);
  if (id !== undefined) rows = rows.where('l.id', '=', id);
  return await rows.orderBy('l.id').limit(limit).execute();
}

/** By their paths, which are the names that people look for. */
export const pageOfLocks = (
  db: Db,
  projectId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<LfsLock[]> => lockRows(db, projectId).orderBy('l.path').limit(limit).offset(offset).execute();

export const countLocks = (db: Db, projectId: number): Promise<number> =>
  countUpTo(db, db.selectFrom('lfs_locks').select('id').where('project_id', '=', projectId));

export async function findLock(db: Db, projectId: number, by: { id: number } | { path: string }) {
  const rows = lockRows(db, projectId);
  return await ('id' in by ? rows.where('l.id', '=', by.id) : rows.where('l.path', '=', by.path)).executeTakeFirst();
}

/** False where somebody has it already. */
export async function insertLock(db: Db, projectId: number, userId: number, path: string): Promise<boolean> {
  const made = await db
    .insertInto('lfs_locks')
    .values({ project_id: projectId, user_id: userId, path })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** False where it was gone. */
export async function deleteLock(db: Db, projectId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('lfs_locks')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether others than the person have locked anything; nobody is a person for `null`. */
export async function othersLock(db: Db, projectId: number, userId: number | null): Promise<boolean> {
  const found = await db
    .selectFrom('lfs_locks')
    .select('id')
    .where('project_id', '=', projectId)
    .where('user_id', 'is distinct from', userId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** One of the paths that somebody else has locked. */
export async function lockAmong(
  db: Db,
  projectId: number,
  userId: number | null,
  paths: readonly string[],
): Promise<LfsLock | undefined> {
  return await lockRows(db, projectId)
    .where('l.user_id', 'is distinct from', userId)
    .where('l.path', '=', sql<string>`any(${[...paths]}::text[])`)
    .orderBy('l.path')
    .limit(1)
    .executeTakeFirst();
}
