/** Releases of a project, as versions of its components. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Releases that are looked at, the newest first. */
const mostReleases = 1_000;

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

export async function releaseTags(db: Db, projectId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('releases')
    .select('tag')
    .where('project_id', '=', projectId)
    .where('released_at', '<=', sql<Date>`now()`)
    .orderBy('released_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostReleases)
    .execute();
  return rows.map(({ tag }) => tag);
}
