/** How far the reviews of merge requests are, for the rows of a list. */
import { type RawBuilder, sql } from 'kysely';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { abilityScope, withTables } from '../../namespaces/index.ts';
import type { ReviewState } from './people.queries.ts';

export interface ReviewStatus {
  readonly pipeline: { readonly id: number; readonly status: string } | null;
  readonly approvals: number;
  readonly open_threads: number;
  readonly reviewers: readonly { readonly id: number; readonly state: ReviewState }[];
}

/** The number of threads of the merge request with this id that are not resolved. */
const openThreads = (id: RawBuilder<unknown>, internal: RawBuilder<unknown>) => sql<number>`(
  select count(distinct n.discussion_id)::int from notes n where n.noteable_type = 'merge_request'
    and n.noteable_id = ${id} and n.resolvable and n.resolved_at is null and (${internal} or not n.internal))`;

/** The number of threads of one merge request that are not resolved. */
export async function openThreadsOf(db: Db, id: number, internal: boolean): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select ${openThreads(sql`${id}`, sql`${internal}::boolean`)} as count`.execute(db);
  return rows[0]?.count ?? 0;
}

/** What a page asks for only where there is any. */
interface Parts {
  /** Draft notes of the reader. */
  readonly pending_comments: number;
  readonly versions: number;
  /** Open requests that it stands on or that stand on it. */
  readonly stacked: number;
  readonly status_checks: number;
  readonly label_events: number;
  readonly milestone_events: number;
  readonly state_events: number;
  /** To the merge request itself. */
  readonly reactions: number;
}
const noParts: Parts = {
  ...{ pending_comments: 0, versions: 0, stacked: 0, status_checks: 0 },
  ...{ label_events: 0, milestone_events: 0, state_events: 0, reactions: 0 },
};

/** `reader`: whose pending comments are counted. */
export async function partsOf(db: Db, id: number, reader: number | null): Promise<Parts> {
  const events = (kind: string) => sql<number>`(select count(*)::int from resource_events e
    where e.noteable_type = 'merge_request' and e.noteable_id = m.id and e.kind = ${kind})`;
  const { rows } = await sql<Parts>`
    select (select count(*)::int from merge_request_versions v where v.merge_request_id = m.id) as versions,
      (select count(*)::int from draft_notes d where d.merge_request_id = m.id and d.author_id = ${reader}) as pending_comments,
      (select count(*)::int from merge_requests o where o.source_project_id = m.project_id and o.project_id = m.project_id
        and o.source_branch = m.target_branch and o.state = 'opened' and o.id <> m.id)
      + (select count(*)::int from merge_requests o where m.source_project_id = m.project_id and o.project_id = m.project_id
        and o.target_branch = m.source_branch and o.state = 'opened' and o.id <> m.id) as stacked,
      (select count(*)::int from external_status_checks c where c.project_id = m.project_id) as status_checks,
      ${events('label')} as label_events, ${events('milestone')} as milestone_events, ${events('state')} as state_events,
      (select count(*)::int from award_emoji r where r.noteable_type = 'merge_request' and r.noteable_id = m.id
        and r.note_id is null) as reactions
    from merge_requests m where m.id = ${id}`.execute(db);
  return rows[0] ?? noParts;
}

/** What the caller sees of merge requests of many projects. */
async function seenAcross(db: Db, caller: Caller, ids: readonly number[], ability: ProjectAbility) {
  const { tables, condition } = abilityScope(caller, ability);
  const { rows } = await sql<{ id: number }>`${withTables(tables)} select p.id from projects p
    where p.id in (select m.project_id from merge_requests m where m.id = any(${[...ids]}::bigint[])) and ${condition}`.execute(
    db,
  );
  return sql`m.project_id = any(${rows.map(({ id }) => id)}::bigint[])`;
}

/**
 * By the id of the merge request, with one statement for a page: of the project `of`, or of several. Internal threads and
 * pipelines count for those who read them.
 */
export async function reviewStatusOf(
  db: Db,
  ids: readonly number[],
  caller: Caller,
  of: ProjectSubject | null,
): Promise<ReadonlyMap<number, ReviewStatus>> {
  if (ids.length === 0) return new Map();
  const seen = async (ability: ProjectAbility) =>
    of ? sql`${canOnProject(caller, ability, of)}::boolean` : await seenAcross(db, caller, ids, ability);
  const [internal, pipelines] = await Promise.all([seen('read_internal_note'), seen('read_pipeline')]);
  const { rows } = await sql<ReviewStatus & { merge_request_id: number }>`
    select m.id as merge_request_id,
      case when ${pipelines} and l.id is not null
        then json_build_object('id', l.id, 'status', l.status) end as pipeline,
      (select count(*)::int from approvals a where a.merge_request_id = m.id) as approvals,
      ${openThreads(sql`m.id`, internal)} as open_threads,
      (select coalesce(json_agg(json_build_object('id', p.user_id, 'state', p.state) order by p.position, p.user_id), '[]')
        from merge_request_people p where p.merge_request_id = m.id and p.role = 'reviewer') as reviewers
    from merge_requests m left join pipelines l on l.id = m.head_pipeline_id
    where m.id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(rows.map(({ merge_request_id, ...status }) => [merge_request_id, status]));
}
