/** Schedules of pipelines of a project as archives hold them: without variables and inputs, which may hold secrets. */
import type { Db } from '../../../kernel/db/index.ts';

export async function schedulesOf(db: Db, projectId: number) {
  return await db
    .selectFrom('pipeline_schedules')
    .select(['description', 'ref', 'cron', 'cron_timezone'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
}
