/** Rows of transfers and of the groups and projects in them. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { BulkImportEntitiesTable, BulkImportsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { allOf, type Sql } from '../../namespaces/index.ts';

export const transferStatuses = ['created', 'started', 'finished', 'failed', 'canceled'] as const;
export type TransferStatus = (typeof transferStatuses)[number];

export interface BulkImportRow {
  readonly id: number;
  readonly url: string;
  readonly status: TransferStatus;
  readonly has_failures: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type EntityRow = Selectable<BulkImportEntitiesTable>;

export interface ListedEntity extends Omit<EntityRow, 'status'> {
  readonly status: TransferStatus;
  /** Counts of the project that it became, and what was left out there. */
  readonly project_stats: unknown;
  readonly project_failures: unknown;
  readonly project_error: string | null;
  readonly url: string;
}

/** A project is as far as its own import. */
const entityStatus = sql<TransferStatus>`case when p.import_status is null or p.import_status = 'none' then e.status
  when p.import_status = 'scheduled' then 'started' else p.import_status end`;
const entities = sql`bulk_import_entities e left join projects p on p.id = e.project_id
  left join project_imports i on i.project_id = e.project_id`;
const ofTransfer = sql`from ${entities} where e.bulk_import_id = b.id`;
const hasFailures = sql<boolean>`exists (select ${ofTransfer} and (${entityStatus} = 'failed'
  or jsonb_array_length(e.failures) > 0 or jsonb_array_length(coalesce(i.failures, '[]')) > 0))`;
/** A transfer is done when all of it is. */
const transferStatus = sql<TransferStatus>`case when b.status <> 'started' then b.status
  when exists (select ${ofTransfer} and ${entityStatus} in ('created', 'started')) then 'started'
  when exists (select ${ofTransfer} and ${entityStatus} = 'finished') then 'finished' else 'failed' end`;
const transferColumns = sql`b.id, b.url, ${transferStatus} as status, ${hasFailures} as has_failures, b.created_at, b.updated_at`;

type Window = Pick<Page, 'limit' | 'offset'>;
export interface TransferFilter {
  readonly userId: number;
  readonly status: TransferStatus | null;
  readonly sort: 'asc' | 'desc';
}

export async function listTransfers(db: Db, { userId, status, sort }: TransferFilter, page: Window) {
  const where = allOf([sql`b.user_id = ${userId}`, ...(status === null ? [] : [sql`${transferStatus} = ${status}`])]);
  const [{ rows }, total] = await Promise.all([
    sql<BulkImportRow>`select ${transferColumns} from bulk_imports b where ${where}
      order by b.id ${sql.raw(sort)} limit ${page.limit} offset ${page.offset}`.execute(db),
    countUpTo(db, { limit: (most) => sql<unknown>`select 1 from bulk_imports b where ${where} limit ${most}` }),
  ]);
  return { rows, total };
}

export async function findTransfer(db: Db, userId: number, id: number): Promise<BulkImportRow | undefined> {
  const { rows } = await sql<BulkImportRow>`select ${transferColumns} from bulk_imports b
    where b.user_id = ${userId} and b.id = ${id}`.execute(db);
  return rows[0];
}

const entityColumns = sql`e.id, e.bulk_import_id, e.parent_id, e.source_type, e.source_full_path, e.destination_name,
  e.destination_slug, e.destination_namespace, e.migrate_projects, e.migrate_memberships, e.namespace_id, e.project_id,
  e.done_stages, e.stats, e.failures, e.created_at, e.updated_at, ${entityStatus} as status, i.stats as project_stats,
  i.failures as project_failures, p.import_error as project_error, b.url`;

export async function listEntities(
  db: Db,
  { userId, status, sort, transferId }: TransferFilter & { readonly transferId: number | null },
  page: Window,
) {
  const where: Sql = allOf([
    sql`b.user_id = ${userId}`,
    ...(transferId === null ? [] : [sql`e.bulk_import_id = ${transferId}`]),
    ...(status === null ? [] : [sql`${entityStatus} = ${status}`]),
  ]);
  const from = sql`from ${entities} join bulk_imports b on b.id = e.bulk_import_id where ${where}`;
  const [{ rows }, total] = await Promise.all([
    sql<ListedEntity>`select ${entityColumns} ${from}
      order by e.id ${sql.raw(sort)} limit ${page.limit} offset ${page.offset}`.execute(db),
    countUpTo(db, { limit: (most) => sql<unknown>`select 1 ${from} limit ${most}` }),
  ]);
  return { rows, total };
}

export async function findEntity(
  db: Db,
  userId: number,
  transferId: number,
  id: number,
): Promise<ListedEntity | undefined> {
  const { rows } = await sql<ListedEntity>`select ${entityColumns} from ${entities}
    join bulk_imports b on b.id = e.bulk_import_id
    where b.user_id = ${userId} and b.id = ${transferId} and e.id = ${id}`.execute(db);
  return rows[0];
}

export interface NewEntity {
  readonly source_type: 'group' | 'project';
  readonly source_full_path: string;
  readonly destination_name: string | null;
  readonly destination_slug: string;
  readonly destination_namespace: string;
  readonly migrate_projects: boolean;
  readonly migrate_memberships: boolean;
}

export async function insertTransfer(
  tx: Db,
  values: { readonly user_id: number; readonly admin: boolean; readonly url: string; readonly token_sealed: Buffer },
): Promise<number> {
  return (await tx.insertInto('bulk_imports').values(values).returning('id').executeTakeFirstOrThrow()).id;
}

/** Those that are there already stay as they are. None once the transfer was canceled: nobody would ever end them. */
export async function insertEntities(
  tx: Db,
  transferId: number,
  parentId: number | null,
  list: readonly NewEntity[],
): Promise<void> {
  if (list.length === 0) return;
  const transfer = await tx
    .selectFrom('bulk_imports')
    .select('status')
    .where('id', '=', transferId)
    .forShare()
    .executeTakeFirst();
  if (transfer === undefined || transfer.status === 'canceled') return;
  await tx
    .insertInto('bulk_import_entities')
    .values(list.map((each) => ({ ...each, bulk_import_id: transferId, parent_id: parentId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function kept(db: Db, id: number): Promise<Selectable<BulkImportsTable> | undefined> {
  return await db.selectFrom('bulk_imports').selectAll().where('id', '=', id).executeTakeFirst();
}

/** False where it has been canceled or has failed. */
export async function beginTransfer(db: Db, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('bulk_imports')
    .set({ status: 'started', updated_at: sql`now()` })
    .where('id', '=', id)
    .where('status', 'in', ['created', 'started'])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The first one that is left, begun; those that wait for others after these. Of those of a transfer that is still wanted. */
export async function nextEntity(db: Db, transferId: number): Promise<EntityRow | undefined> {
  return await db
    .updateTable('bulk_import_entities as e')
    .set({ status: 'started', updated_at: sql`now()` })
    .where('e.id', '=', (from) =>
      from
        .selectFrom('bulk_import_entities as f')
        .innerJoin('bulk_imports as b', 'b.id', 'f.bulk_import_id')
        .select('f.id')
        .where('f.bulk_import_id', '=', transferId)
        .where('b.status', '=', 'started')
        .where('f.status', 'in', ['created', 'started'])
        // `created` comes before `started`.
        .orderBy('f.status')
        .orderBy(sql`f.parent_id is null`)
        .orderBy('f.id')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Whether others of the same transfer come before one that waits until all groups are there. */
export async function waitsForOthers(db: Db, entity: Pick<EntityRow, 'id' | 'bulk_import_id'>): Promise<boolean> {
  const found = await db
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('bulk_import_id', '=', entity.bulk_import_id)
    .where('id', '<>', entity.id)
    .where((at) =>
      at.or([at('status', '=', 'created'), at.and([at('status', '=', 'started'), at('parent_id', 'is not', null)])]),
    )
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function setEntity(
  tx: Db,
  id: number,
  changes: Partial<Pick<EntityRow, 'status' | 'namespace_id' | 'project_id' | 'done_stages'>> & {
    readonly stats?: string;
    readonly failures?: string;
  },
): Promise<void> {
  await tx
    .updateTable('bulk_import_entities')
    .set({ ...changes, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** Nothing is left to be fetched: what proves us there goes. */
export async function endTransfer(db: Db, id: number): Promise<void> {
  await db
    .updateTable('bulk_imports')
    .set({ token_sealed: null, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** The projects of what was canceled; null where nothing was in progress. */
export async function cancelTransfer(tx: Db, id: number): Promise<number[] | null> {
  const { rows: left } = await sql`select from bulk_imports b where b.id = ${id}
    and ${transferStatus} in ('created', 'started')`.execute(tx);
  if (left.length === 0) return null;
  await tx
    .updateTable('bulk_imports')
    .set({ status: 'canceled', token_sealed: null, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
  await tx
    .updateTable('bulk_import_entities')
    .set({ status: 'canceled', updated_at: sql`now()` })
    .where('bulk_import_id', '=', id)
    .where('status', 'in', ['created', 'started'])
    .execute();
  const made = await tx
    .selectFrom('bulk_import_entities')
    .select('project_id')
    .where('bulk_import_id', '=', id)
    .where('project_id', 'is not', null)
    .execute();
  return made.flatMap(({ project_id }) => project_id ?? []);
}
