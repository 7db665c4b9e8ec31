/** Comments and commits of many projects: of all that the caller may read, or of those below a group. */
import { sql } from 'kysely';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { type Caller, readsAll } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Note, Project } from '../../../kernel/db/rows.ts';
import {
  abilityScope,
  allOf,
  below,
  groupContentScope,
  groupScope,
  projectScope,
  type Sql,
  withTables,
} from '../../namespaces/index.ts';
import { paged, type Search, type Window, worded } from './search.queries.ts';

/** The group whose projects are searched; null for everything. */
type Where = { readonly groupId: number } | null;

const placed = (place: Where, archived: boolean | undefined): Sql[] => [
  ...(archived ? [] : [sql`not p.archived`]),
  ...(place === null ? [] : [sql`p.namespace_id in ${below(place.groupId)}`]),
];

/** What a comment is about must be seen as well as the comment. */
function commented(caller: Caller, place: Where, archived: boolean): Sql {
  const me = sql`${caller.user?.id ?? null}::bigint`;
  const within = (ability: ProjectAbility) =>
    sql`exists (select from projects p
      where ${allOf([sql`p.id = t.project_id`, ...placed(place, archived), abilityScope(caller, ability).condition])})`;
  const issue = sql`exists (select from issues i where i.id = t.noteable_id and (not i.confidential or i.author_id = ${me}
    or exists (select from issue_assignees a where a.issue_id = i.id and a.user_id = ${me})
    or ${within('read_confidential_issue')}))`;
  const open = caller.user === null || caller.user.external ? ['public'] : ['public', 'internal'];
  const member =
    caller.user === null
      ? sql``
      : sql`or exists (select from projects p
          where p.id = t.project_id and ${projectScope(caller, { minimum: Level.guest }).condition})`;
  const snippet = readsAll(caller)
    ? sql`true`
    : sql`exists (select from snippets s where s.id = t.noteable_id
        and (s.visibility = any(${open}::text[]) or s.author_id = ${me} ${member}))`;
  return sql`((not t.internal or ${within('read_internal_note')}) and case t.noteable_type
    when 'commit' then ${within('read_code')} when 'merge_request' then ${within('read_merge_request')}
    when 'issue' then ${within('read_issue')} and ${issue}
    when 'snippet' then ${within('read_snippet')} and ${snippet} else false end)`;
}

/** Comments on epics: of groups that are seen, confidential and internal ones for planners. */
function commentedEpic(caller: Caller, place: Where, archived: boolean): Sql {
  const me = sql`${caller.user?.id ?? null}::bigint`;
  const planners = readsAll(caller)
    ? sql`true`
    : sql`exists (select from namespaces n
        where n.id = t.namespace_id and ${groupScope(caller, { minimum: Level.planner }).condition})`;
  const seen = [
    sql`n.id = t.namespace_id`,
    ...(archived ? [] : [sql`not n.archived`]),
    ...(place === null ? [] : [sql`n.id in ${below(place.groupId)}`]),
    groupContentScope(caller, { wiki: false }).condition,
  ];
  return sql`(exists (select from namespaces n where ${allOf(seen)})
    and (not t.internal or ${planners}) and exists (select from epics e where e.id = t.noteable_id
      and (not e.confidential or e.author_id = ${me} or ${planners})))`;
}

export type PlacedNote = Note & { readonly place_path: string };

/** Comments of people, the newest first unless told. */
export async function findNotesAcross(
  db: Db,
  caller: Caller,
  place: Where,
  { text, sort, archived = false }: Search,
  page: Window,
): Promise<{ rows: PlacedNote[]; total: number }> {
  // Every scope is made of the same tables of the caller's access.
  const { tables } = projectScope(caller, { minimum: caller.user === null ? null : Level.guest });
  const from = sql`from notes t where ${allOf([
    sql`not t.system`,
    ...worded(text, [sql`t.body`]),
    sql`case t.noteable_type when 'epic' then ${commentedEpic(caller, place, archived)} else ${commented(caller, place, archived)} end`,
  ])}`;
  const path = sql`coalesce((select n.full_path || '/' || p.path from projects p
    join namespaces n on n.id = p.namespace_id where p.id = t.project_id),
    (select n.full_path from namespaces n where n.id = t.namespace_id))`;
  const way = sql.raw(sort);
  return await paged(
    db,
    withTables(tables),
    sql`t.*, ${path} as place_path`,
    from,
    sql`t.created_at ${way}, t.id ${way}`,
    page,
  );
}

export type FoundCommit = Project & { readonly sha: string; readonly place_path: string };

/** Commits of default branches by message or by the beginning of their id; with `forks` also what forks add to their source. */
export async function findCommitsAcross(
  db: Db,
  caller: Caller,
  place: Where,
  { text, sort, forks, archived }: Search & { readonly forks: boolean },
  page: Window,
): Promise<{ rows: FoundCommit[]; total: number }> {
  const scope = abilityScope(caller, 'read_code');
  const where = [
    ...placed(place, archived),
    ...(forks ? [] : [sql`p.forked_from_project_id is null`]),
    scope.condition,
  ];
  const id = /^[0-9a-f]{7,64}$/i.test(text) ? [sql`c.sha like ${`${text.toLowerCase()}%`}`] : [];
  const matches = sql.join([sql`c.message ilike ${containing(text)}`, ...id], sql` or `);
  const from = sql`from code_commits c join code_indexes i on i.id = c.index_id join projects p on p.id = i.project_id
    join namespaces n on n.id = p.namespace_id where ${allOf([sql`(${matches})`, ...where])}`;
  const columns = sql`p.*, c.sha, n.full_path || '/' || p.path as place_path`;
  const way = sql.raw(sort);
  return await paged(db, withTables(scope.tables), columns, from, sql`c.committed_at ${way}, c.sha ${way}`, page);
}
