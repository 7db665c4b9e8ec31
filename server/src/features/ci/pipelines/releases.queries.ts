/** Releases of a project, and what the catalog has published of its components. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** The description of the release of a tag; null when it has none. */
export async function releaseDescription(db: Db, projectId: number, tag: string): Promise<string | null> {
  const row = await db
    .selectFrom('releases')
    .select('description')
    .where('project_id', '=', projectId)
    .where('tag', '=', tag)
    .executeTakeFirst();
  return row?.description ?? null;
}

/** Whether the project is in the catalog of components. */
export async function isInCatalog(db: Db, projectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('catalog_resources')
    .select('project_id')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row !== undefined;
}

/** A published version and its commit: this one, or the highest stable one with these numbers. */
export async function catalogVersion(
  db: Db,
  projectId: number,
  wanted: { readonly version: string } | { readonly major: number | null; readonly minor: number | null },
): Promise<{ version: string; sha: string } | null> {
  let query = db
    .selectFrom('catalog_versions as v')
    .innerJoin('releases as r', 'r.id', 'v.release_id')
    .select(['v.version', 'v.sha'])
    .where('v.project_id', '=', projectId)
    .where('r.released_at', '<=', sql<Date>`now()`);
  if ('version' in wanted) query = query.where('v.version', '=', wanted.version);
  else {
    query = query.where('v.prerelease', 'is', null);
    if (wanted.major !== null) query = query.where('v.major', '=', wanted.major);
    if (wanted.minor !== null) query = query.where('v.minor', '=', wanted.minor);
  }
  const row = await query
    .orderBy('v.major', 'desc')
    .orderBy('v.minor', 'desc')
    .orderBy('v.patch', 'desc')
    .orderBy('v.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
