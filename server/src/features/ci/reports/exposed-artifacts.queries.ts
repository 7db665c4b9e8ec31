/** Jobs of the head pipeline of a merge request whose artifacts are linked there. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';

type ExposingJob = Pick<
  Job,
  'id' | 'name' | 'project_id' | 'pipeline_id' | 'ref' | 'tag' | 'ref_protected' | 'debug_trace'
> & { readonly text: string; readonly paths: readonly string[] };

/** The last attempts that have an archive, in the order of their ids; null where there is no such merge request. */
export async function exposingJobs(db: Db, projectId: number, iid: number): Promise<ExposingJob[] | null> {
  const request = await db
    .selectFrom('merge_requests')
    .select('head_pipeline_id')
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
  if (!request) return null;
  return await db
    .selectFrom('jobs as j')
    .select(['j.id', 'j.name', 'j.project_id', 'j.pipeline_id', 'j.ref', 'j.tag', 'j.ref_protected', 'j.debug_trace'])
    .select([
      sql<string>`j.plan #>> '{artifacts,expose_as}'`.as('text'),
      sql<string[]>`j.plan #> '{artifacts,paths}'`.as('paths'),
    ])
    .where('j.pipeline_id', '=', request.head_pipeline_id)
    .where('j.retried', '=', false)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('job_artifacts as a')
          .select('a.id')
          .whereRef('a.job_id', '=', 'j.id')
          .where('a.file_type', '=', 'archive'),
      ),
    )
    .where(sql<boolean>`j.plan #> '{artifacts,expose_as}' is not null`)
    .orderBy('j.id')
    .execute();
}
