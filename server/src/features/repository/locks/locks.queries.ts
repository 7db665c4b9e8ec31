/** Rows of `path_locks`: who keeps which files and folders for themselves. */
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export interface PathLock {
  readonly id: number;
  readonly path: string;
  /** One of Git LFS counts on every branch. */
  readonly lfs: boolean;
  readonly created_at: Date;
  readonly user_id: number;
  readonly username: string;
  readonly name: string;
}

const lockRows = (db: Db, projectId: number) =>
  db
    .selectFrom('path_locks as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.id', 'l.path', 'l.lfs', 'l.created_at', 'l.user_id', 'u.username', 'u.name'])
    .where('l.project_id', '=', projectId);

export interface LockWindow {
  readonly path?: string | undefined;
  readonly id?: number | undefined;
  /** Only later ones. */
  readonly after: number;
  readonly limit: number;
}

/** Those of Git LFS: its clients keep their files from every branch. */
export async function listLfsLocks(
  db: Db,
  projectId: number,
  { path, id, after, limit }: LockWindow,
): Promise<PathLock[]> {
  let rows = lockRows(db, projectId).where('l.lfs', '=', true).where('l.id', '>', after);
  if (path !== undefined) rows = rows.where('l.path', '=', path);
  if (id !== undefined) rows = rows.where('l.id', '=', id);
  return await rows.orderBy('l.id').limit(limit).execute();
}

/** A path and the folders above it. */
const upwards = (path: string): string[] => {
  const names = path.split('/');
  return names.map((_name, at) => names.slice(0, at + 1).join('/'));
};

const isOrAbove = (path: string) => sql<SqlBool>`l.path = any(${upwards(path)}::text[])`;
const below = (folder: string) => sql<SqlBool>`starts_with(l.path, ${`${folder}/`})`;
const directlyIn = (folder: string) => {
  const prefix = folder === '' ? '' : `${folder}/`;
  return sql<SqlBool>`starts_with(l.path, ${prefix}) and strpos(substr(l.path, char_length(${prefix}) + 1), '/') = 0`;
};

/** What a page of a file or folder shows: its own lock, those of the folders above it, and of the entries in it. */
const seenAt =
  (path: string) =>
  (eb: { or(all: readonly Expression<SqlBool>[]): Expression<SqlBool> }): Expression<SqlBool> =>
    eb.or([isOrAbove(path), directlyIn(path)]);

/** By their paths, which are the names that people look for. */
export async function pageOfLocks(
  db: Db,
  projectId: number,
  path: string | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<PathLock[]> {
  let rows = lockRows(db, projectId);
  if (path !== undefined) rows = rows.where(seenAt(path));
  return await rows.orderBy('l.path').limit(limit).offset(offset).execute();
}

export async function countLocks(db: Db, projectId: number, path: string | undefined): Promise<number> {
  let rows = db.selectFrom('path_locks as l').select('l.id').where('l.project_id', '=', projectId);
  if (path !== undefined) rows = rows.where(seenAt(path));
  return await countUpTo(db, rows);
}

export async function findLock(db: Db, projectId: number, by: { id: number } | { path: string }) {
  const rows = lockRows(db, projectId);
  return await ('id' in by ? rows.where('l.id', '=', by.id) : rows.where('l.path', '=', by.path)).executeTakeFirst();
}

/** A lock of the path, of a folder above it or of something in it; those of others than the person come first. */
export async function lockAround(
  db: Db,
  projectId: number,
  path: string,
  userId: number,
): Promise<PathLock | undefined> {
  return await lockRows(db, projectId)
    .where((eb) => eb.or([isOrAbove(path), below(path)]))
    .orderBy(sql`l.user_id = ${userId}`)
    .orderBy('l.path')
    .limit(1)
    .executeTakeFirst();
}

/** Whether a project has at least so many. */
export async function hasLocks(db: Db, projectId: number, count: number): Promise<boolean> {
  const rows = db.selectFrom('path_locks').select('id').where('project_id', '=', projectId);
  return (
    (await rows
      .limit(1)
      .offset(count - 1)
      .executeTakeFirst()) !== undefined
  );
}

export async function insertLock(
  db: Db,
  lock: { readonly project_id: number; readonly user_id: number; readonly path: string; readonly lfs: boolean },
): Promise<void> {
  await db.insertInto('path_locks').values(lock).execute();
}

/** Makes a lock one of Git LFS. */
export async function widenLock(db: Db, id: number): Promise<void> {
  await db.updateTable('path_locks').set({ lfs: true }).where('id', '=', id).execute();
}

/** False where it was gone. */
export async function deleteLock(db: Db, projectId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('path_locks')
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** All that others than these people have locked. */
export async function locksOfOthers(db: Db, projectId: number, userIds: readonly number[]): Promise<PathLock[]> {
  return await lockRows(db, projectId)
    .where('l.user_id', '<>', sql<number>`all(${[...userIds]}::bigint[])`)
    .execute();
}
