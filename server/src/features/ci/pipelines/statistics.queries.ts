/** Numbers of pipelines by day. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

interface PipelineNumbers {
  readonly total: number;
  readonly success: number;
  readonly failed: number;
  /** Canceled or skipped, waiting or running. */
  readonly other: number;
  /** Seconds. */
  readonly median_duration: number | null;
  readonly p95_duration: number | null;
}

interface StatisticsFilter {
  readonly projectId: number;
  readonly since: Date;
  readonly ref: string | undefined;
  readonly source: string | undefined;
}

const duration = sql`p.duration) filter (where p.duration is not null and p.status in ('success', 'failed')`;

/** The numbers of each day (UTC) that has pipelines, and of all days together; children count with their parents. */
export async function pipelineNumbers(
  db: Db,
  { projectId, since, ref, source }: StatisticsFilter,
): Promise<{ days: Array<PipelineNumbers & { date: string }>; all: PipelineNumbers }> {
  const { rows } = await sql<PipelineNumbers & { date: string | null }>`
    select to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD') as date, count(*)::int as total,
      count(*) filter (where p.status = 'success')::int as success,
      count(*) filter (where p.status = 'failed')::int as failed,
      count(*) filter (where p.status not in ('success', 'failed'))::int as other,
      percentile_disc(0.5) within group (order by ${duration})::int as median_duration,
      percentile_disc(0.95) within group (order by ${duration})::int as p95_duration
    from pipelines p
    where p.project_id = ${projectId} and p.created_at >= ${since} and p.source <> 'parent_pipeline'
      ${ref === undefined ? sql`` : sql`and p.ref = ${ref}`}
      ${source === undefined ? sql`` : sql`and p.source = ${source}`}
    group by grouping sets ((1), ())
    order by 1`.execute(db);
  const empty = { total: 0, success: 0, failed: 0, other: 0, median_duration: null, p95_duration: null };
  const { date: _, ...all } = rows.find(({ date }) => date === null) ?? { date: null, ...empty };
  return { days: rows.flatMap(({ date, ...numbers }) => (date === null ? [] : [{ date, ...numbers }])), all };
}
