/** Which project the subject of a live topic belongs to. */
import type { Db } from '../../kernel/db/index.ts';

/** Kinds of subjects that belong to a project. */
export type LiveSubject = 'pipeline' | 'job' | 'merge_request';

/** The project of a pipeline, job or merge request; null when it does not exist. */
export async function projectOf(db: Db, kind: LiveSubject, id: number): Promise<number | null> {
  const table = kind === 'pipeline' ? 'pipelines' : kind === 'job' ? 'jobs' : 'merge_requests';
  const row = await db.selectFrom(table).select('project_id').where('id', '=', id).executeTakeFirst();
  return row?.project_id ?? null;
}

/** The project or group that a board is of; undefined where it is gone. */
export const placeOfBoard = async (db: Db, id: number) =>
  await db.selectFrom('boards').select(['project_id', 'namespace_id']).where('id', '=', id).executeTakeFirst();

/** The group that an epic board is of; null where it is gone. */
export async function groupOfEpicBoard(db: Db, id: number): Promise<number | null> {
  const row = await db.selectFrom('epic_boards').select('namespace_id').where('id', '=', id).executeTakeFirst();
  return row?.namespace_id ?? null;
}
