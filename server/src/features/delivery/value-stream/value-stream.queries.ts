/** How long issues and merge requests took, from recorded times. */
import { sql } from 'kysely';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { abilityScope, below, issuesSeen, type Place, requestsSeen, withTables } from '../../namespaces/index.ts';

export const stages = ['issue', 'code', 'review', 'deploy', 'cycle'] as const;

export interface StageRow {
  readonly name: (typeof stages)[number];
  readonly count: number;
  readonly median_seconds: number | null;
}

/** Deployments `d` to production that the caller sees. */
function deploymentsSeen(caller: Caller, place: Place) {
  if (place.kind === 'project')
    return canOnProject(caller, 'read_deployment', place) ? sql`d.project_id = ${place.project.id}` : sql`false`;
  const { tables, condition } = abilityScope(caller, 'read_deployment');
  return sql`d.project_id in (${withTables(tables)} select p.id from projects p
    where p.namespace_id in ${below(place.group.id)} and ${condition})`;
}

/** What ended within the time: stages of merge requests count by their merge or deployment, issues by their closing. */
export async function stagesOf(
  db: Db,
  place: Place,
  caller: Caller,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<StageRow[]> {
  const within = (column: unknown) => sql`${column} >= ${from} and ${column} < ${to}`;
  const requests = requestsSeen(caller, place) ?? sql`false`;
  const { rows } = await sql<StageRow>`
    with merged as (
      select m.id, m.created_at, m.merged_at,
        (select min(e.created_at) from events e where e.project_id = m.source_project_id and e.action = 'pushed'
          and e.ref_type = 'branch' and e.ref = m.source_branch and e.created_at <= m.merged_at) as pushed_at
      from merge_requests m where ${requests} and m.state = 'merged' and m.merged_at < ${to}),
    deployed as (
      select r.id, min(d.finished_at) as finished_at
      from merged r join deployment_merge_requests l on l.merge_request_id = r.id
        join deployments d on d.id = l.deployment_id and d.status = 'success' and d.finished_at is not null
        join environments n on n.id = d.environment_id and n.tier = 'production'
      where ${deploymentsSeen(caller, place)} group by r.id),
    spans as (
      select 'issue' as name, i.closed_at - i.created_at as took from issues i
        where ${issuesSeen(caller, place) ?? sql`false`} and i.state = 'closed' and ${within(sql`i.closed_at`)}
          and i.moved_to_id is null and i.duplicated_to_id is null and i.promoted_to_epic_id is null
      union all select 'code', r.created_at - r.pushed_at from merged r
        where r.pushed_at <= r.created_at and ${within(sql`r.merged_at`)}
      union all select 'review', r.merged_at - r.created_at from merged r where ${within(sql`r.merged_at`)}
      union all select 'deploy', d.finished_at - r.merged_at from merged r join deployed d on d.id = r.id
        where ${within(sql`d.finished_at`)}
      union all select 'cycle', d.finished_at - coalesce(r.pushed_at, r.created_at) from merged r join deployed d on d.id = r.id
        where ${within(sql`d.finished_at`)})
    select name, count(*)::int as count,
      round(percentile_cont(0.5) within group (order by greatest(0, extract(epoch from took))))::bigint as median_seconds
    from spans group by name`.execute(db);
  return stages.map((name) => rows.find((row) => row.name === name) ?? { name, count: 0, median_seconds: null });
}
