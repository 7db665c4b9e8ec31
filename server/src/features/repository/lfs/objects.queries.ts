/** Rows of LFS objects, and which projects have them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface LfsObject {
  readonly oid: string;
  readonly size: number;
  readonly object_key: string;
}

/** Those of the objects that a project has. */
export async function objectsOf(db: Db, projectId: number, oids: readonly string[]): Promise<LfsObject[]> {
  if (oids.length === 0) return [];
  return await db
    .selectFrom('lfs_objects as o')
    .innerJoin('lfs_object_links as l', 'l.lfs_object_id', 'o.id')
    .select(['o.oid', 'o.size', 'o.object_key'])
    .where('l.project_id', '=', projectId)
    .where('o.oid', '=', sql<string>`any(${[...oids]}::text[])`)
    .execute();
}

/** Objects of a project after one of them, in a fixed order; a batch. */
export const someObjects = (
  db: Db,
  projectId: number,
  after: number,
  limit: number,
): Promise<(LfsObject & { id: number })[]> =>
  db
    .selectFrom('lfs_object_links as l')
    .innerJoin('lfs_objects as o', 'o.id', 'l.lfs_object_id')
    .select(['o.id', 'o.oid', 'o.size', 'o.object_key'])
    .where('l.project_id', '=', projectId)
    .where('l.lfs_object_id', '>', after)
    .orderBy('l.lfs_object_id')
    .limit(limit)
    .execute();

export async function hasObjects(db: Db, projectId: number): Promise<boolean> {
  const found = db.selectFrom('lfs_object_links').select('project_id').where('project_id', '=', projectId).limit(1);
  return (await found.executeTakeFirst()) !== undefined;
}

/**
 * Remembers the bytes of an object, which somebody has sent, as a project's. Answers the key that counts: another one
 * where the same bytes are kept already. A removal under way is waited for: the row is new then.
 */
export async function keepObject(tx: Db, projectId: number, { oid, size, object_key }: LfsObject): Promise<string> {
  const kept = await tx
    .insertInto('lfs_objects')
    .values({ oid, size, object_key })
    .onConflict((conflict) => conflict.column('oid').doUpdateSet({ orphaned_at: null }))
    .returning(['id', 'object_key'])
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('lfs_object_links')
    .values({ project_id: projectId, lfs_object_id: kept.id, size })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return kept.object_key;
}

/** Puts the bytes that an object has lost somewhere else. */
export async function replaceKey(tx: Db, oid: string, key: string): Promise<void> {
  await tx.updateTable('lfs_objects').set({ object_key: key }).where('oid', '=', oid).execute();
}

export async function isNamed(db: Db, key: string): Promise<boolean> {
  const found = db.selectFrom('lfs_objects').select('id').where('object_key', '=', key);
  return (await found.executeTakeFirst()) !== undefined;
}

/** Gives a project objects that another one has: all, or those that are named. */
export async function shareObjects(
  db: Db,
  sourceId: number,
  targetId: number,
  oids: readonly string[] | null,
): Promise<void> {
  await db
    .insertInto('lfs_object_links')
    .columns(['project_id', 'lfs_object_id', 'size'])
    .expression((query) => {
      const found = query
        .selectFrom('lfs_object_links as l')
        .innerJoin('lfs_objects as o', 'o.id', 'l.lfs_object_id')
        .select([sql<number>`${targetId}::bigint`.as('project_id'), 'l.lfs_object_id', 'l.size'])
        .where('l.project_id', '=', sourceId);
      return oids === null ? found : found.where('o.oid', '=', sql<string>`any(${[...oids]}::text[])`);
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Notes which objects no project has any more, and forgets it of those that one has again. */
export async function noteOrphans(db: Db): Promise<void> {
  await sql`update lfs_objects o set orphaned_at = null where orphaned_at is not null
    and exists (select from lfs_object_links l where l.lfs_object_id = o.id)`.execute(db);
  await sql`update lfs_objects o set orphaned_at = now() where orphaned_at is null
    and not exists (select from lfs_object_links l where l.lfs_object_id = o.id)`.execute(db);
}

/**
 * Removes some objects that were without a project for that long; how many. The rows are locked before links are looked
 * for, so that whoever is about to link one either was seen or finds it gone.
 */
export async function removeOrphans(tx: Db, hours: number, limit: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`select id from lfs_objects
    where orphaned_at < now() - ${hours} * interval '1 hour' order by orphaned_at limit ${limit}
    for update skip locked`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const { numAffectedRows } = await sql`delete from lfs_objects o where id = any(${ids}::bigint[])
    and not exists (select from lfs_object_links l where l.lfs_object_id = o.id)`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
