/** SQL for mails about pipelines and releases of projects. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline, Release } from '../../../kernel/db/rows.ts';

type Ended = Pick<Pipeline, 'id' | 'ref' | 'tag' | 'sha' | 'source' | 'user_id' | 'name'>;

export interface EndedPipeline extends Ended {
  readonly failed_jobs: string[];
  /** Of the last pipeline of the ref before it that passed or failed. */
  readonly before: string | null;
}

/** Names of failed jobs that a mail lists. */
const mostJobs = 20;

export async function endedPipeline(db: Db, id: number): Promise<EndedPipeline | undefined> {
  const { rows } = await sql<EndedPipeline>`
    select p.id, p.ref, p.tag, p.sha, p.source, p.user_id, p.name,
      array(select j.name from jobs j where j.pipeline_id = p.id and j.status = 'failed' and not j.allow_failure
        and not j.retried order by j.stage_index, j.id limit ${mostJobs}) as failed_jobs,
      (select b.status from pipelines b where b.project_id = p.project_id and b.ref = p.ref and b.tag = p.tag
        and b.id < p.id and b.status in ('success', 'failed') and b.source <> 'parent_pipeline'
        order by b.id desc limit 1) as before
    from pipelines p where p.id = ${id}`.execute(db);
  return rows[0];
}

export async function toldRelease(
  db: Db,
  id: number,
): Promise<Pick<Release, 'tag' | 'name' | 'description'> | undefined> {
  return await db.selectFrom('releases').select(['tag', 'name', 'description']).where('id', '=', id).executeTakeFirst();
}
