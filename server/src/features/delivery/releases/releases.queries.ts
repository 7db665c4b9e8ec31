/** Rows of releases, of their links, and of what was noted of them. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Release, ReleaseEvidence, ReleaseLink } from '../../../kernel/db/rows.ts';
import type { ReleaseLinksTable, ReleasesTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo, keysetOrder } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, below, withTables } from '../../namespaces/index.ts';

export type ReleaseOrder = 'released_at' | 'created_at';

export interface ReleaseFilter {
  readonly updatedBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
}

export const releaseOrder = (by: ReleaseOrder, direction: 'asc' | 'desc') =>
  keysetOrder<Release>([
    { name: by, expression: sql.ref(`r.${by}`), type: 'time', direction, value: (row) => row[by] },
    { name: 'id', expression: sql.ref('r.id'), type: 'integer', direction, value: (row) => row.id },
  ]);

function ofProject(db: Db, projectId: number, { updatedBefore, updatedAfter }: ReleaseFilter) {
  let query = db.selectFrom('releases as r').where('r.project_id', '=', projectId);
  if (updatedBefore) query = query.where('r.updated_at', '<', updatedBefore);
  if (updatedAfter) query = query.where('r.updated_at', '>', updatedAfter);
  return query;
}

export async function listReleases(
  db: Db,
  projectId: number,
  filter: ReleaseFilter,
  order: ReturnType<typeof releaseOrder>,
  page: Pick<Page, 'limit' | 'offset' | 'after'>,
): Promise<Release[]> {
  const continued = order.after(page.after);
  const query = ofProject(db, projectId, filter).selectAll('r');
  return await (continued ? query.where(continued) : query)
    .orderBy(order.orderBy)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** The newest releases that have come. */
export const newestReleases = (db: Db, projectId: number, limit: number): Promise<Release[]> =>
  ofProject(db, projectId, {})
    .selectAll('r')
    .where('r.released_at', '<=', sql<Date>`now()`)
    .orderBy('r.released_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute();

/** The tag of the newest release that has come; those of a later date wait for it. */
export async function newestReleaseTag(db: Db, projectId: number, by: ReleaseOrder): Promise<string | null> {
  const row = await ofProject(db, projectId, {})
    .select('r.tag')
    .where('r.released_at', '<=', sql<Date>`now()`)
    .orderBy(`r.${by}`, 'desc')
    .orderBy('r.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.tag ?? null;
}

export const countReleases = (db: Db, projectId: number, filter: ReleaseFilter): Promise<number> =>
  countUpTo(db, ofProject(db, projectId, filter).select('r.id'));

/** Releases of a group's projects and of those below it, as far as the caller sees them; by the date of release. */
export async function listGroupReleases(
  db: Db,
  groupId: number,
  caller: Caller,
  direction: 'asc' | 'desc',
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Release[]; total: number }> {
  const { tables, condition } = abilityScope(caller, 'read_release');
  const way = sql.raw(direction);
  const statement = (columns: ReturnType<typeof sql>, end: ReturnType<typeof sql>) => sql<Release>`${withTables(tables)}
    select ${columns} from releases r join projects p on p.id = r.project_id
    where p.namespace_id in ${below(groupId)} and ${condition} ${end}`;
  const end = sql`order by r.released_at ${way}, r.id ${way} limit ${page.limit} offset ${page.offset}`;
  const [{ rows }, total] = await Promise.all([
    statement(sql`r.*`, end).execute(db),
    countUpTo(db, { limit: (most) => statement(sql`1`, sql`limit ${most}`) }),
  ]);
  return { rows, total };
}

export const findRelease = (db: Db, projectId: number, tag: string): Promise<Release | undefined> =>
  db.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('tag', '=', tag).executeTakeFirst();

export const releaseById = (db: Db, id: number): Promise<Release | undefined> =>
  db.selectFrom('releases').selectAll().where('id', '=', id).executeTakeFirst();

/** Locked against its removal and against other changes. */
export const lockRelease = (tx: Db, id: number): Promise<Release | undefined> =>
  tx.selectFrom('releases').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** What tags tell of their release. */
export async function releaseTexts(
  db: Db,
  projectId: number,
  tags: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (tags.length === 0) return new Map();
  const rows = await db
    .selectFrom('releases')
    .select(['tag', 'description'])
    .where('project_id', '=', projectId)
    .where('tag', 'in', [...tags])
    .execute();
  return new Map(rows.map(({ tag, description }) => [tag, description]));
}

export const insertRelease = (tx: Db, values: Insertable<ReleasesTable>): Promise<Release> =>
  tx.insertInto('releases').values(values).returningAll().executeTakeFirstOrThrow();

export const updateRelease = (tx: Db, id: number, values: Updateable<ReleasesTable>): Promise<Release | undefined> =>
  tx
    .updateTable('releases')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const deleteRelease = (tx: Db, id: number): Promise<Release | undefined> =>
  tx.deleteFrom('releases').where('id', '=', id).returningAll().executeTakeFirst();

/** Links of releases, the newest first. */
export async function linksOf(db: Db, releaseIds: readonly number[]): Promise<ReleaseLink[]> {
  if (releaseIds.length === 0) return [];
  return await db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', 'in', [...releaseIds])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export const listLinks = (db: Db, releaseId: number, page: Pick<Page, 'limit' | 'offset'>): Promise<ReleaseLink[]> =>
  db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', '=', releaseId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();

export const countLinks = (db: Db, releaseId: number): Promise<number> =>
  countUpTo(db, db.selectFrom('release_links').select('id').where('release_id', '=', releaseId));

export const findLink = (db: Db, releaseId: number, id: number): Promise<ReleaseLink | undefined> =>
  db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', '=', releaseId)
    .where('id', '=', id)
    .executeTakeFirst();

export const findLinkAt = (db: Db, releaseId: number, filepath: string): Promise<ReleaseLink | undefined> =>
  db
    .selectFrom('release_links')
    .selectAll()
    .where('release_id', '=', releaseId)
    .where('filepath', '=', filepath)
    .executeTakeFirst();

export const insertLink = (tx: Db, values: Insertable<ReleaseLinksTable>): Promise<ReleaseLink> =>
  tx.insertInto('release_links').values(values).returningAll().executeTakeFirstOrThrow();

export async function insertLinks(tx: Db, links: readonly Insertable<ReleaseLinksTable>[]): Promise<void> {
  if (links.length > 0) await tx.insertInto('release_links').values(links).execute();
}

export const updateLink = (
  tx: Db,
  id: number,
  values: Updateable<ReleaseLinksTable>,
): Promise<ReleaseLink | undefined> =>
  tx.updateTable('release_links').set(values).where('id', '=', id).returningAll().executeTakeFirst();

export const deleteLink = (tx: Db, id: number): Promise<ReleaseLink | undefined> =>
  tx.deleteFrom('release_links').where('id', '=', id).returningAll().executeTakeFirst();

export type EvidenceHead = Pick<Selectable<ReleaseEvidence>, 'id' | 'release_id' | 'sha' | 'collected_at'>;

/** What was noted of releases, the oldest first, without the summaries. */
export async function evidencesOf(db: Db, releaseIds: readonly number[]): Promise<EvidenceHead[]> {
  if (releaseIds.length === 0) return [];
  return await db
    .selectFrom('release_evidences')
    .select(['id', 'release_id', 'sha', 'collected_at'])
    .where('release_id', 'in', [...releaseIds])
    .orderBy('id')
    .execute();
}

export const findEvidence = (db: Db, releaseId: number, id: number): Promise<ReleaseEvidence | undefined> =>
  db
    .selectFrom('release_evidences')
    .selectAll()
    .where('release_id', '=', releaseId)
    .where('id', '=', id)
    .executeTakeFirst();

export async function insertEvidence(tx: Db, releaseId: number, sha: string, summary: string): Promise<void> {
  await tx.insertInto('release_evidences').values({ release_id: releaseId, sha, summary }).execute();
}

/** The project as a summary tells it. */
export const projectOfRelease = (db: Db, projectId: number) =>
  db
    .selectFrom('projects')
    .select(['id', 'name', 'description', 'created_at'])
    .where('id', '=', projectId)
    .executeTakeFirst();

/** Releases of tags, locked against other changes. */
export const releasesOfTags = (tx: Db, projectId: number, tags: readonly string[]): Promise<Release[]> =>
  tx
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('tag', 'in', [...tags])
    .orderBy('id')
    .forUpdate()
    .execute();

export const pathOfProject = async (db: Db, projectId: number): Promise<string> =>
  (
    await db
      .selectFrom('projects as p')
      .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
      .select(sql<string>`n.full_path || '/' || p.path`.as('path'))
      .where('p.id', '=', projectId)
      .executeTakeFirst()
  )?.path ?? '';

export const nameOf = (db: Db, userId: number): Promise<{ id: number; name: string } | undefined> =>
  db.selectFrom('users').select(['id', 'name']).where('id', '=', userId).executeTakeFirst();
