/** Rows of exports of relations. */
import { type Selectable, sql } from 'kysely';
import { type Db, lockInTransaction } from '../../../kernel/db/index.ts';
import type { RelationExportBatchesTable, RelationExportsTable } from '../../../kernel/db/tables.ts';

export type RelationExportRow = Selectable<RelationExportsTable>;
export type BatchRow = Selectable<RelationExportBatchesTable>;

/** A project or group by its id. */
export interface ExportedPlace {
  readonly kind: 'project' | 'group';
  readonly id: number;
}
const columns = { project: 'project_id', group: 'namespace_id' } as const;
const columnOf = ({ kind }: ExportedPlace) => columns[kind];

/** In the order in which they are made; all of a place, or one. */
export async function listRelationExports(
  db: Db,
  place: ExportedPlace,
  relation?: string,
): Promise<RelationExportRow[]> {
  const query = db.selectFrom('relation_exports').selectAll().where(columnOf(place), '=', place.id);
  return await (relation === undefined ? query : query.where('relation', '=', relation)).orderBy('id').execute();
}

export async function batchesOf(db: Db, exportIds: readonly number[]): Promise<Map<number, BatchRow[]>> {
  const found = new Map<number, BatchRow[]>(exportIds.map((id) => [id, []]));
  if (exportIds.length === 0) return found;
  const rows = await db
    .selectFrom('relation_export_batches')
    .selectAll()
    .where('export_id', 'in', [...exportIds])
    .orderBy('export_id')
    .orderBy('batch_number')
    .execute();
  for (const row of rows) found.get(row.export_id)?.push(row);
  return found;
}

export async function findBatch(db: Db, exportId: number, batchNumber: number): Promise<BatchRow | undefined> {
  return await db
    .selectFrom('relation_export_batches')
    .selectAll()
    .where('export_id', '=', exportId)
    .where('batch_number', '=', batchNumber)
    .executeTakeFirst();
}

export interface NewRun {
  readonly place: ExportedPlace;
  readonly userId: number | null;
  readonly run: string;
  readonly batched: boolean;
}

/** Begins again: what was exported before goes, its files with it. */
export async function beginRun(
  tx: Db,
  { place, userId, run, batched }: NewRun,
  relations: readonly string[],
): Promise<void> {
  // Those who begin at the same time do so one after the other: the last one's run stays.
  await lockInTransaction(tx, 'relation-exports', place.kind, place.id);
  await tx.deleteFrom('relation_exports').where(columnOf(place), '=', place.id).execute();
  await tx
    .insertInto('relation_exports')
    .values(relations.map((relation) => ({ [columnOf(place)]: place.id, user_id: userId, run, batched, relation })))
    .execute();
}

/** Those of a run that are not done. */
export async function unfinished(db: Db, place: ExportedPlace, run: string): Promise<RelationExportRow[]> {
  return await db
    .selectFrom('relation_exports')
    .selectAll()
    .where(columnOf(place), '=', place.id)
    .where('run', '=', run)
    .where('status', '=', 0)
    .orderBy('id')
    .execute();
}

/** What an attempt that was interrupted left. */
export async function forgetBatches(db: Db, exportId: number): Promise<void> {
  await db.deleteFrom('relation_export_batches').where('export_id', '=', exportId).execute();
}

/** False where another request has begun the export again. */
export async function insertBatch(
  tx: Db,
  exportId: number,
  batch: Pick<BatchRow, 'batch_number' | 'objects_count' | 'object_key' | 'size'>,
): Promise<boolean> {
  const row = await tx
    .selectFrom('relation_exports')
    .select('id')
    .where('id', '=', exportId)
    .forKeyShare()
    .executeTakeFirst();
  if (!row) return false;
  await tx
    .insertInto('relation_export_batches')
    .values({ export_id: exportId, ...batch, status: 1 })
    .execute();
  return true;
}

export async function setRelationExport(db: Db, id: number, status: 1 | -1, error: string | null): Promise<void> {
  await db
    .updateTable('relation_exports')
    .set({ status, error, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** What nobody fetched in time goes. */
export async function forgetRelationExports(db: Db, hours: number): Promise<void> {
  await sql`delete from relation_exports where updated_at < now() - make_interval(hours => ${hours}::int)`.execute(db);
}
