/** Rows of `packages` and `package_files`. */
import { type Insertable, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Package, PackageFile, Pipeline, User } from '../../../kernel/db/rows.ts';
import type { PackageFilesTable, PackagesTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, below, withTables } from '../../namespaces/index.ts';
import type { PackageView, PublishedBy } from './packages.entity.ts';

export type FileRow = PackageFile;

export interface PackageFilter {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly status: 'default' | 'hidden';
}
export interface PackageOrder {
  readonly by: 'created_at' | 'name' | 'version' | 'type' | 'project_path';
  readonly direction: 'asc' | 'desc';
}
type Window = Pick<Page, 'limit' | 'offset'>;

const columns = {
  created_at: sql`k.created_at`,
  name: sql`k.name`,
  version: sql`k.version`,
  type: sql`k.package_type`,
  project_path: sql`(select n.full_path from namespaces n where n.id = p.namespace_id), p.path`,
} as const;

const filtered = ({ name, version, status }: PackageFilter) => sql`k.status = ${status}
  ${name ? sql`and k.name ilike ${containing(name)}` : sql``} ${version ? sql`and k.version = ${version}` : sql``}`;

/** With the pipelines that published their files, the newest first. */
const shown = sql`k.*, array(select f.pipeline_id from package_files f
  where f.package_id = k.id and f.pipeline_id is not null group by f.pipeline_id order by max(f.id) desc) as pipeline_ids`;

type Shown = Package & { readonly pipeline_ids: readonly number[] };
const viewOf = ({ pipeline_ids: pipelineIds, ...row }: Shown): PackageView => ({ row, pipelineIds });

async function listed(
  db: Db,
  from: (what: ReturnType<typeof sql>, end: ReturnType<typeof sql>) => ReturnType<typeof sql<Shown>>,
  { by, direction }: PackageOrder,
  page: Window,
): Promise<{ views: PackageView[]; total: number }> {
  const way = sql.raw(direction);
  const end = sql`order by ${columns[by]} ${way}, k.id ${way} limit ${page.limit} offset ${page.offset}`;
  const [{ rows }, total] = await Promise.all([
    from(shown, end).execute(db),
    countUpTo(db, { limit: (most) => from(sql`1`, sql`limit ${most}`) }),
  ]);
  return { views: rows.map(viewOf), total };
}

export const listPackages = (db: Db, projectId: number, filter: PackageFilter, order: PackageOrder, page: Window) =>
  listed(
    db,
    (what, end) => sql<Shown>`select ${what} from packages k join projects p on p.id = k.project_id
      where k.project_id = ${projectId} and ${filtered(filter)} ${end}`,
    order,
    page,
  );

/** Those of a group's projects and, unless left out, of those below, as far as the caller may read them. */
export function listGroupPackages(
  db: Db,
  group: { readonly id: number; readonly subgroups: boolean },
  caller: Caller,
  filter: PackageFilter,
  order: PackageOrder,
  page: Window,
) {
  const { tables, condition } = abilityScope(caller, 'read_package');
  const within = group.subgroups ? sql`p.namespace_id in ${below(group.id)}` : sql`p.namespace_id = ${group.id}`;
  return listed(
    db,
    (
      what,
      end,
    ) => sql<Shown>`${withTables(tables)} select ${what} from packages k join projects p on p.id = k.project_id
      where ${within} and ${condition} and ${filtered(filter)} ${end}`,
    order,
    page,
  );
}

const selected = (db: Db) =>
  db
    .selectFrom('packages as k')
    .selectAll('k')
    .select(
      sql<number[]>`array(select f.pipeline_id from package_files f
        where f.package_id = k.id and f.pipeline_id is not null group by f.pipeline_id order by max(f.id) desc)`.as(
        'pipeline_ids',
      ),
    );

export async function findPackage(db: Db, projectId: number, id: number): Promise<PackageView | undefined> {
  const row = await selected(db).where('k.project_id', '=', projectId).where('k.id', '=', id).executeTakeFirst();
  return row && viewOf(row);
}

/** Others of the same name, the newest first. */
export async function otherVersions(db: Db, { id, project_id, name }: Package): Promise<PackageView[]> {
  const rows = await selected(db)
    .where('k.project_id', '=', project_id)
    .where('k.name', '=', name)
    .where('k.id', '<>', id)
    .where('k.status', '=', 'default')
    .orderBy('k.id', 'desc')
    .limit(100)
    .execute();
  return rows.map(viewOf);
}

/** Locked against its removal and other files of it. */
export const lockPackage = (tx: Db, projectId: number, id: number): Promise<Package | undefined> =>
  tx
    .selectFrom('packages')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** The package of a name and version, new or as it was; its status is that of the last file. */
export const keepPackage = (
  tx: Db,
  values: Insertable<PackagesTable> & { readonly status: 'default' | 'hidden' },
  changesStatus: boolean,
): Promise<Package> =>
  tx
    .insertInto('packages')
    .values(values)
    .onConflict((conflict) =>
      conflict.constraint('packages_version').doUpdateSet({
        updated_at: sql`now()`,
        ...(changesStatus ? { status: values.status } : {}),
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();

export const insertFile = (tx: Db, values: Insertable<PackageFilesTable>): Promise<FileRow> =>
  tx.insertInto('package_files').values(values).returningAll().executeTakeFirstOrThrow();

export async function listFiles(db: Db, packageId: number, page: Window): Promise<{ rows: FileRow[]; total: number }> {
  const query = db.selectFrom('package_files').where('package_id', '=', packageId);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** The newest file of a name in a version of a package. */
export const findFile = (
  db: Db,
  projectId: number,
  { name, version, file }: { readonly name: string; readonly version: string; readonly file: string },
): Promise<FileRow | undefined> =>
  db
    .selectFrom('package_files as f')
    .innerJoin('packages as k', 'k.id', 'f.package_id')
    .selectAll('f')
    .where('k.project_id', '=', projectId)
    .where('k.name', '=', name)
    .where('k.version', '=', version)
    .where('f.file_name', '=', file)
    .orderBy('f.id', 'desc')
    .executeTakeFirst();

/** Notes that somebody fetched it; at most once in a minute. */
export async function markDownloaded(db: Db, packageId: number): Promise<void> {
  await db
    .updateTable('packages')
    .set({ last_downloaded_at: sql`now()` })
    .where('id', '=', packageId)
    .where(sql<boolean>`(last_downloaded_at is null or last_downloaded_at < now() - interval '1 minute')`)
    .execute();
}

export async function deletePackage(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('package_files').where('package_id', '=', id).execute();
  await tx.deleteFrom('packages').where('id', '=', id).execute();
}

/** What is left of the package then: it goes with its last file. */
export async function deleteFile(tx: Db, packageId: number, id: number): Promise<FileRow | undefined> {
  const file = await tx
    .deleteFrom('package_files')
    .where('package_id', '=', packageId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return file;
}

export async function publishedBy(db: Db, ids: readonly number[]): Promise<PublishedBy> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const pipelines: Pipeline[] = await db.selectFrom('pipelines').selectAll().where('id', 'in', wanted).execute();
  const people = [...new Set(pipelines.flatMap(({ user_id }) => (user_id === null ? [] : [user_id])))];
  const users: User[] =
    people.length === 0 ? [] : await db.selectFrom('users').selectAll().where('id', 'in', people).execute();
  return new Map(
    pipelines.map((pipeline) => [
      pipeline.id,
      { pipeline, user: users.find(({ id }) => id === pipeline.user_id) ?? null },
    ]),
  );
}
