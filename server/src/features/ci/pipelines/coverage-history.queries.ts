/** What jobs measured as coverage, by day. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface MeasuredJob {
  readonly date: string;
  readonly pipeline_id: number;
  readonly name: string;
  readonly coverage: number;
}

/** Jobs that a history reads at most: the newest count. */
const mostMeasured = 20_000;

/** The jobs of a branch that succeeded and measured coverage, days (UTC) in order and pipelines within them. */
export async function measuredJobs(
  db: Db,
  { projectId, ref, since }: { readonly projectId: number; readonly ref: string; readonly since: Date },
): Promise<MeasuredJob[]> {
  const { rows } = await sql<MeasuredJob>`
    select to_char(finished_at at time zone 'UTC', 'YYYY-MM-DD') as date, pipeline_id, name, coverage::float8 as coverage
    from jobs
    where project_id = ${projectId} and ref = ${ref} and not tag and finished_at >= ${since}
      and coverage is not null and not retried and status = 'success'
    order by finished_at desc, id desc limit ${mostMeasured}`.execute(db);
  return rows.toReversed();
}
