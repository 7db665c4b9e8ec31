/** Rows of exports and imports. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ProjectExportsTable, ProjectImportsTable } from '../../../kernel/db/tables.ts';

export type ExportRow = Selectable<ProjectExportsTable>;
export type ImportRow = Selectable<ProjectImportsTable>;

export async function findExport(db: Db, projectId: number): Promise<ExportRow | null> {
  return (
    (await db.selectFrom('project_exports').selectAll().where('project_id', '=', projectId).executeTakeFirst()) ?? null
  );
}

/** Whether a user is one now. */
export async function isAdministrator(db: Db, userId: number): Promise<boolean> {
  const row = await db.selectFrom('users').select('admin').where('id', '=', userId).executeTakeFirst();
  return row?.admin ?? false;
}

export interface StoredObject {
  readonly oid: string;
  readonly size: number;
  readonly object_key: string;
}

/** Objects of Git LFS that a project has. */
export async function lfsObjectsOf(db: Db, projectId: number): Promise<StoredObject[]> {
  return await db
    .selectFrom('lfs_object_links as l')
    .innerJoin('lfs_objects as o', 'o.id', 'l.lfs_object_id')
    .select(['o.oid', 'o.size', 'o.object_key'])
    .where('l.project_id', '=', projectId)
    .orderBy('o.oid')
    .execute();
}

export interface QueuedExport {
  readonly projectId: number;
  readonly userId: number | null;
  readonly description: string | null;
  readonly uploadUrl: Buffer | null;
  readonly uploadMethod: 'PUT' | 'POST';
}

/** What was exported before stays until the new archive is there. */
export async function queueExport(tx: Db, given: QueuedExport): Promise<void> {
  const columns = {
    user_id: given.userId,
    description: given.description,
    upload_url_sealed: given.uploadUrl,
    upload_method: given.uploadMethod,
    state: 'queued' as const,
    error: null,
  };
  await tx
    .insertInto('project_exports')
    .values({ project_id: given.projectId, ...columns })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ ...columns, created_at: sql`now()` }))
    .execute();
}

export async function setExport(
  db: Db,
  projectId: number,
  changes: Partial<Pick<ExportRow, 'state' | 'error' | 'object_key' | 'size' | 'finished_at' | 'upload_url_sealed'>>,
): Promise<void> {
  await db.updateTable('project_exports').set(changes).where('project_id', '=', projectId).execute();
}

/** Archives that nobody fetched in time are given up with their rows. */
export async function forgetExports(db: Db, hours: number): Promise<void> {
  await sql`delete from project_exports where state in ('finished', 'failed')
    and coalesce(finished_at, created_at) < now() - make_interval(hours => ${hours}::int)`.execute(db);
}

export async function findImport(db: Db, projectId: number): Promise<ImportRow | null> {
  return (
    (await db.selectFrom('project_imports').selectAll().where('project_id', '=', projectId).executeTakeFirst()) ?? null
  );
}

export async function insertImport(
  tx: Db,
  row: {
    readonly projectId: number;
    readonly userId: number;
    readonly trusted: boolean;
    /** Of the archive, or the sealed address of a repository. */
    readonly objectKey?: string;
    readonly url?: Buffer;
    /** Of a repository of another product: what it is called there, and the path of its page. */
    readonly source?: string;
    readonly link?: string;
  },
  correlationId: string,
): Promise<void> {
  const { projectId, userId, trusted, objectKey = null, url = null, source = null, link = null } = row;
  await tx
    .insertInto('project_imports')
    .values({
      project_id: projectId,
      user_id: userId,
      trusted,
      object_key: objectKey,
      url_sealed: url,
      source,
      source_path: link,
      correlation_id: correlationId,
    })
    .execute();
}

export interface Failure {
  readonly relation: string;
  readonly line: number;
  readonly reason: string;
}

/** What became of an import; its archive or address is needed no longer. */
export async function finishImport(
  tx: Db,
  projectId: number,
  /** Null where what is kept of its progress stays. */
  result: { readonly stats: object; readonly failures: readonly Failure[] } | null,
): Promise<void> {
  await tx
    .updateTable('project_imports')
    .set(result === null ? {} : { stats: JSON.stringify(result.stats), failures: JSON.stringify(result.failures) })
    .set({ object_key: null, url_sealed: null })
    .set({ finished_at: sql`now()` })
    .where('project_id', '=', projectId)
    .execute();
}

/** The branch that the repository calls its own, once that is known. */
export async function setDefaultBranch(db: Db, projectId: number, branch: string): Promise<void> {
  await db.updateTable('projects').set({ default_branch: branch }).where('id', '=', projectId).execute();
}

type Status = 'scheduled' | 'started' | 'finished' | 'failed' | 'canceled';

/** False where the import is no longer in one of the states. */
export async function moveImport(
  db: Db,
  projectId: number,
  from: readonly Status[],
  to: Status,
  error: string | null = null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('projects')
    .set({ import_status: to, import_error: error })
    .where('id', '=', projectId)
    .where('import_status', 'in', [...from])
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether a project still waits for what it is made of: nobody has canceled that, or removed the project. */
export async function isAwaited(db: Db, projectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', projectId)
    .where('import_status', '=', 'started')
    .where('marked_for_deletion_on', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
