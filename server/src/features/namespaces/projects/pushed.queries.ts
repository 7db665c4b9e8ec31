/** Rows of `pushed_projects`: what a push has made and nobody has been told of yet. */
import type { Selectable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { PushedProjectsTable } from '../../../kernel/db/tables.ts';

export type PushedProject = Selectable<PushedProjectsTable>;

export async function keepPushed(db: Db, made: PushedProject): Promise<void> {
  await db
    .insertInto('pushed_projects')
    .values(made)
    .onConflict((row) => row.doNothing())
    .execute();
}

/** Takes the row away: it is told once. */
export async function takePushed(db: Db, projectId: number, userId: number): Promise<PushedProject | undefined> {
  return await db
    .deleteFrom('pushed_projects')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst();
}
