/** Merge requests `m` of a place that somebody sees, for what counts them. */
import { sql } from 'kysely';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
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
