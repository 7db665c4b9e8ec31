/** Rows of `wikis` and `wiki_pages`. */
import { sql } from 'kysely';
import type { Subject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Wiki } from '../../../kernel/db/rows.ts';
import { below } from '../../namespaces/index.ts';

const columnsOf = (place: Subject) =>
  place.kind === 'project'
    ? { project_id: place.project.id, namespace_id: null }
    : { project_id: null, namespace_id: place.group.id };

/** The wiki of a project or group; null when nobody has written to one. */
export const findWiki = (db: Db, place: Subject): Promise<Wiki | null> => findWikiOf(db, columnsOf(place));

/** The wiki of a project or of a group, where only its id is known. */
export async function findWikiOf(db: Db, of: Pick<Wiki, 'project_id' | 'namespace_id'>): Promise<Wiki | null> {
  const query = db.selectFrom('wikis').selectAll();
  const owned =
    of.project_id === null
      ? query.where('namespace_id', '=', of.namespace_id)
      : query.where('project_id', '=', of.project_id);
  return (await owned.executeTakeFirst()) ?? null;
}

export async function findWikiById(db: Db, id: number): Promise<Wiki | null> {
  return (await db.selectFrom('wikis').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Makes the row unless somebody else did at the same time. */
export async function insertWiki(
  db: Db,
  place: Subject,
  values: Pick<Wiki, 'repository_storage' | 'repository_path' | 'default_branch'>,
): Promise<void> {
  await db
    .insertInto('wikis')
    .values({ ...columnsOf(place), ...values })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeWiki(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('wikis').where('id', '=', id).execute();
}

/** A new generation of the wiki's refs; it is activity of the project. */
export async function bumpWiki(tx: Db, wiki: Pick<Wiki, 'id' | 'project_id'>): Promise<number> {
  const row = await tx
    .updateTable('wikis')
    .set({ refs_generation: sql`refs_generation + 1` })
    .where('id', '=', wiki.id)
    .returning('refs_generation')
    .executeTakeFirstOrThrow();
  if (wiki.project_id !== null)
    await tx.updateTable('projects').set({ last_activity_at: sql`now()` }).where('id', '=', wiki.project_id).execute();
  return row.refs_generation;
}

export async function setWikiBranch(tx: Db, id: number, branch: string): Promise<void> {
  await tx.updateTable('wikis').set({ default_branch: branch }).where('id', '=', id).execute();
}

/** What the repository takes on disk, also among what its project stores. */
export async function recordWikiSize(tx: Db, id: number, size: number): Promise<void> {
  await tx.updateTable('wikis').set({ repository_size: size }).where('id', '=', id).execute();
  await sql`update project_statistics s set wiki_size = ${size} from wikis w
    where w.id = ${id} and s.project_id = w.project_id`.execute(tx);
}

/** Where the wikis of a project, or of a group and the groups below it, lie. */
export async function wikisBelow(
  db: Db,
  of: { readonly projectId: number } | { readonly groupId: number },
): Promise<Pick<Wiki, 'repository_storage' | 'repository_path'>[]> {
  const condition =
    'projectId' in of ? sql`w.project_id = ${of.projectId}` : sql`w.namespace_id in ${below(of.groupId)}`;
  const { rows } = await sql<Pick<Wiki, 'repository_storage' | 'repository_path'>>`
    select w.repository_storage, w.repository_path from wikis w where ${condition}`.execute(db);
  return rows;
}

/** Keeps what a page is called; `removed` where it is no more. Answers its id. */
export async function recordPage(
  tx: Db,
  wikiId: number,
  page: { readonly slug: string; readonly title: string; readonly removed: boolean },
): Promise<number> {
  const values = { title: page.title, removed_at: page.removed ? new Date() : null };
  const row = await tx
    .insertInto('wiki_pages')
    .values({ wiki_id: wikiId, slug: page.slug, ...values })
    .onConflict((conflict) => conflict.columns(['wiki_id', 'slug']).doUpdateSet(values))
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** The same for many at once that are there; no slug comes twice. */
export async function recordPages(
  tx: Db,
  wikiId: number,
  pages: ReadonlyArray<{ readonly slug: string; readonly title: string }>,
): Promise<void> {
  await sql`insert into wiki_pages (wiki_id, slug, title)
    select ${wikiId}, slug, title from unnest(${pages.map(({ slug }) => slug)}::text[],
      ${pages.map(({ title }) => title)}::text[]) as t (slug, title)
    on conflict (wiki_id, slug) do update set title = excluded.title, removed_at = null`.execute(tx);
}

/** Gives a page another slug; null where there is no such page, or another has the slug. */
export async function renamePage(
  tx: Db,
  wikiId: number,
  from: string,
  to: { readonly slug: string; readonly title: string },
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`update wiki_pages p set slug = ${to.slug}, title = ${to.title}
    where p.wiki_id = ${wikiId} and p.slug = ${from}
      and not exists (select from wiki_pages o where o.wiki_id = ${wikiId} and o.slug = ${to.slug})
    returning id`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Ids of pages by slug. */
export async function pageIds(db: Db, wikiId: number, slugs: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: number; slug: string }>`select id, slug from wiki_pages
    where wiki_id = ${wikiId} and slug = any(${[...slugs]}::text[])`.execute(db);
  return new Map(rows.map(({ id, slug }) => [slug, id]));
}
