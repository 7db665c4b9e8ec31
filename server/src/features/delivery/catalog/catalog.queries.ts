/** Rows of the catalogue of CI components: projects in it, their versions, and the components of each. */
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { CatalogComponentsTable, CatalogResourcesTable, CatalogVersionsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, allOf, type Sql, withTables } from '../../namespaces/index.ts';

export type CatalogResource = Selectable<CatalogResourcesTable>;
export type CatalogVersion = Selectable<CatalogVersionsTable> & { readonly released_at: Date };
export type CatalogComponent = Selectable<CatalogComponentsTable>;

export const catalogSorts = ['stars', 'name', 'released_at', 'created_at'] as const;

interface ListFilter {
  readonly search?: string | undefined;
  readonly sort: (typeof catalogSorts)[number];
}

/** What the versions of a project are ordered by, the newest stable one first. */
const newestFirst = sql`(v.prerelease is null) desc, v.major desc, v.minor desc, v.patch desc, v.id desc`;
/** A release of a later date is not there yet. */
const out = sql`r.released_at <= now()`;
const versions = sql`catalog_versions v join releases r on r.id = v.release_id`;

const orders: Readonly<Record<ListFilter['sort'], Sql>> = {
  stars: sql`p.star_count desc, p.id`,
  name: sql`lower(p.name), p.id`,
  released_at: sql`n.released_at desc, p.id desc`,
  created_at: sql`c.created_at desc, p.id desc`,
};

/** Projects of the catalogue whose code the caller may read, of which a version is out; each with the newest. */
export async function listCatalog(
  db: Db,
  caller: Caller,
  { search, sort }: ListFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: CatalogVersion[]; total: number }> {
  const { tables, condition } = abilityScope(caller, 'read_code');
  const conditions = [condition];
  if (search) {
    const text = containing(search);
    conditions.push(sql`(p.name ilike ${text} or p.description ilike ${text} or exists (
      select from catalog_components k where k.version_id = n.id and k.name ilike ${text}))`);
  }
  const statement = (columns: Sql, end: Sql) => sql<CatalogVersion>`${withTables(tables)}
    select ${columns} from catalog_resources c join projects p on p.id = c.project_id
    join lateral (select v.*, r.released_at from ${versions}
      where v.project_id = c.project_id and ${out} order by ${newestFirst} limit 1) n on true
    where ${allOf(conditions)} ${end}`;
  const end = sql`order by ${orders[sort]} limit ${page.limit} offset ${page.offset}`;
  const [{ rows }, total] = await Promise.all([
    statement(sql`n.*`, end).execute(db),
    countUpTo(db, { limit: (most) => statement(sql`1`, sql`limit ${most}`) }),
  ]);
  return { rows, total };
}

export const findResource = (db: Db, projectId: number): Promise<CatalogResource | undefined> =>
  db.selectFrom('catalog_resources').selectAll().where('project_id', '=', projectId).executeTakeFirst();

/** Puts a project into the catalogue; false when it is there already. */
export async function insertResource(tx: Db, projectId: number): Promise<boolean> {
  const row = await tx
    .insertInto('catalog_resources')
    .values({ project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('project_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes a project out, with all that was published; false when it is not there. */
export async function deleteResource(tx: Db, projectId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('catalog_resources')
    .where('project_id', '=', projectId)
    .returning('project_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function setProblem(db: Db, projectId: number, problem: string | null): Promise<void> {
  await db.updateTable('catalog_resources').set({ problem }).where('project_id', '=', projectId).execute();
}

/** Versions of one project that are out, the newest first. */
export async function listVersions(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: CatalogVersion[]; total: number }> {
  const of = sql`from ${versions} where v.project_id = ${projectId} and ${out}`;
  const [{ rows }, total] = await Promise.all([
    sql<CatalogVersion>`select v.*, r.released_at ${of} order by ${newestFirst}
      limit ${page.limit} offset ${page.offset}`.execute(db),
    countUpTo(db, { limit: (most) => sql`select 1 ${of} limit ${most}` }),
  ]);
  return { rows, total };
}

export async function findVersion(db: Db, projectId: number, version: string): Promise<CatalogVersion | undefined> {
  const { rows } = await sql<CatalogVersion>`select v.*, r.released_at from ${versions}
    where v.project_id = ${projectId} and v.version = ${version} and ${out}`.execute(db);
  return rows[0];
}

/** Notes that a client has asked for a version that its release published; false when there is none of those. */
export async function requestVersion(tx: Db, releaseId: number): Promise<boolean> {
  const row = await tx
    .updateTable('catalog_versions')
    .set({ requested: true })
    .where('release_id', '=', releaseId)
    .where('requested', '=', false)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A version with its components; false when its release has been published before. */
export async function insertVersion(
  tx: Db,
  values: Insertable<CatalogVersionsTable>,
  components: ReadonlyArray<Pick<Insertable<CatalogComponentsTable>, 'name' | 'path' | 'inputs'>>,
): Promise<boolean> {
  const row = await tx
    .insertInto('catalog_versions')
    .values(values)
    .onConflict((conflict) => conflict.column('release_id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) return false;
  await tx
    .insertInto('catalog_components')
    .values(components.map((each) => ({ ...each, version_id: row.id })))
    .execute();
  return true;
}

/** Components of versions, by name. */
export async function componentsOf(db: Db, versionIds: readonly number[]): Promise<CatalogComponent[]> {
  if (versionIds.length === 0) return [];
  return await db
    .selectFrom('catalog_components')
    .selectAll()
    .where('version_id', 'in', [...versionIds])
    .orderBy('name')
    .execute();
}
