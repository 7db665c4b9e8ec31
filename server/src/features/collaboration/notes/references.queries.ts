/** Notes that tell where something was referred to: who reads them, and writing each once. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import { abilityScope, groupScope, type Sql, withTables } from '../../namespaces/index.ts';
import { columnsOf, type Noteable } from './kinds.ts';

/** Where a text refers to something. */
export type ReferenceSource =
  | { readonly type: 'issue' | 'merge_request' | 'epic'; readonly id: number }
  | { readonly type: 'commit'; readonly projectId: number; readonly sha: string };

const inProjects = (caller: Caller, ability: Parameters<typeof abilityScope>[1], id: Sql): Sql => {
  const { tables, condition } = abilityScope(caller, ability);
  return sql`exists (${withTables(tables)} select from projects p where p.id = ${id} and ${condition})`;
};

const inGroups = (caller: Caller, minimum: number | null, id: Sql): Sql => {
  const { tables, condition } = groupScope(caller, { minimum });
  return sql`exists (${withTables(tables)} select from namespaces n where n.id = ${id} and ${condition})`;
};

/** Condition on rows of `notes`: whoever reads it sees where the reference was made. True for all other notes. */
export function referenceSeen(caller: Caller) {
  const me = sql`${caller.user?.id ?? null}::bigint`;
  const issue = sql`exists (select from issues i where i.id = notes.source_id
    and ${inProjects(caller, 'read_issue', sql`i.project_id`)}
    and (not i.confidential or i.author_id = ${me}
      or exists (select from issue_assignees a where a.issue_id = i.id and a.user_id = ${me})
      or ${inProjects(caller, 'read_confidential_issue', sql`i.project_id`)}))`;
  const request = sql`exists (select from merge_requests m where m.id = notes.source_id
    and ${inProjects(caller, 'read_merge_request', sql`m.project_id`)})`;
  const epic = sql`exists (select from epics e where e.id = notes.source_id
    and ${inGroups(caller, null, sql`e.namespace_id`)}
    and (not e.confidential or e.author_id = ${me} or ${inGroups(caller, Level.planner, sql`e.namespace_id`)}))`;
  return sql<boolean>`case notes.source_type when 'issue' then ${issue} when 'merge_request' then ${request}
    when 'epic' then ${epic} when 'commit' then ${inProjects(caller, 'read_code', sql`notes.source_project_id`)}
    else true end`;
}

/** Undefined where the thing tells of the place already. */
export async function insertReference(
  tx: Db,
  noteable: Noteable,
  source: ReferenceSource,
  note: Pick<Note, 'author_id' | 'body' | 'discussion_id'>,
): Promise<Note | undefined> {
  const from =
    source.type === 'commit'
      ? { source_type: source.type, source_project_id: source.projectId, source_sha: source.sha }
      : { source_type: source.type, source_id: source.id };
  return await tx
    .insertInto('notes')
    .values({ ...columnsOf(noteable), ...note, kind: null, system: true, action: 'cross_reference', ...from })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}
