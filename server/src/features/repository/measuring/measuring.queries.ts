/** What was measured of repositories, and how often they were fetched. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { LanguageShare } from './languages.ts';

export async function recordLanguages(
  tx: Db,
  projectId: number,
  commit: string | null,
  languages: readonly LanguageShare[],
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('projects')
    .set({ languages_commit: commit })
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  // Removed meanwhile: nothing to say about it.
  if (numUpdatedRows === 0n) return;
  await tx.deleteFrom('project_languages').where('project_id', '=', projectId).execute();
  if (languages.length > 0)
    await tx
      .insertInto('project_languages')
      .values(languages.map((language) => ({ project_id: projectId, ...language })))
      .execute();
}

export async function knownLanguages(db: Db, projectId: number): Promise<LanguageShare[]> {
  return await db
    .selectFrom('project_languages')
    .select(['name', 'share'])
    .where('project_id', '=', projectId)
    .orderBy('share', 'desc')
    .orderBy('name')
    .execute();
}

/** Adds fetches of today, by project; those of projects that are gone count for nothing. */
export async function addFetches(db: Db, counts: ReadonlyMap<number, number>): Promise<void> {
  await sql`insert into project_fetches (project_id, date, count)
    select c.id, current_date, c.count
      from unnest(${[...counts.keys()]}::bigint[], ${[...counts.values()]}::bigint[]) c (id, count)
      join projects p on p.id = c.id
    on conflict (project_id, date) do update set count = project_fetches.count + excluded.count`.execute(db);
}

export interface DayCount {
  readonly date: string;
  readonly count: number;
}

/** Days that are told and kept. */
const days = 30;

/** Fetches by day of the last days, newest first. */
export async function fetchesOf(db: Db, projectId: number): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`select date, count from project_fetches
    where project_id = ${projectId} and date > current_date - ${days}::int order by date desc`.execute(db);
  return rows;
}

export async function forgetOldFetches(db: Db): Promise<void> {
  await sql`delete from project_fetches where date <= current_date - ${days}::int`.execute(db);
}
