/** Merge requests `m` and issues `i` of a place that somebody sees, for what counts them. */
import { sql } from 'kysely';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Place } from '../places.ts';
import { abilityScope, withTables } from './access.queries.ts';
import { below } from './hierarchy.queries.ts';

/** Null where the caller sees none of a project's; of a group those of everything below it. */
export function requestsSeen(caller: Caller, place: Place) {
  if (place.kind === 'project')
    return canOnProject(caller, 'read_merge_request', place) ? sql<boolean>`m.project_id = ${place.project.id}` : null;
  const { tables, condition } = abilityScope(caller, 'read_merge_request');
  return sql<boolean>`m.project_id in (${withTables(tables)} select p.id from projects p
    where p.namespace_id in ${below(place.group.id)} and ${condition})`;
}

/** The same of issues, of all projects without a place; confidential ones for whoever sees all of them, wrote them, or is to do them. */
export function issuesSeen(caller: Caller, place: Place | null) {
  const me = caller.user?.id ?? null;
  const mine = sql`(i.author_id = ${me}::bigint
    or exists (select from issue_assignees a where a.issue_id = i.id and a.user_id = ${me}::bigint))`;
  if (place?.kind === 'project') {
    if (!canOnProject(caller, 'read_issue', place)) return null;
    const all = canOnProject(caller, 'read_confidential_issue', place);
    return sql<boolean>`(i.project_id = ${place.project.id} ${all ? sql`` : sql`and (not i.confidential or ${mine})`})`;
  }
  const within = (ability: ProjectAbility) => {
    const { tables, condition } = abilityScope(caller, ability);
    return sql`i.project_id in (${withTables(tables)} select p.id from projects p
      where ${place ? sql`p.namespace_id in ${below(place.group.id)} and` : sql``} ${condition})`;
  };
  return sql<boolean>`(${within('read_issue')} and (not i.confidential or ${mine} or ${within('read_confidential_issue')}))`;
}

const mostCounted = 1000;

/** How many open ones of a place somebody sees, of both up to so many; without what they see none of. */
export async function openCounts(
  db: Db,
  place: Place,
  caller: Caller,
): Promise<{ issues?: number; merge_requests?: number }> {
  const [issues, requests] = [issuesSeen(caller, place), requestsSeen(caller, place)];
  const { rows } = await sql<{ issues: number; requests: number }>`select
    (select count(*)::int from (select 1 from issues i where ${issues ?? sql`false`} and i.state = 'opened'
      limit ${mostCounted}) counted) as issues,
    (select count(*)::int from (select 1 from merge_requests m where ${requests ?? sql`false`} and m.state = 'opened'
      limit ${mostCounted}) counted) as requests`.execute(db);
  const [counted] = rows;
  return {
    ...(issues ? { issues: counted?.issues ?? 0 } : {}),
    ...(requests ? { merge_requests: counted?.requests ?? 0 } : {}),
  };
}
