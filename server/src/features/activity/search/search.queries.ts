/** What searches find in rows: milestones and comments of projects, people. */
import { sql } from 'kysely';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { type Caller, type ProjectSubject, readsAll } from '../../../kernel/authz/subjects.ts';
import { containing, type Db, wordsOf } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { PlacedMilestone } from '../../collaboration/index.ts';
import type { ReferenceRow } from '../../identity/index.ts';
import { abilityScope, allOf, below, issuesSeen, type Sql, withTables } from '../../namespaces/index.ts';

export interface Search {
  readonly text: string;
  readonly sort: 'asc' | 'desc';
  /** Also in archived projects. */
  readonly archived?: boolean | undefined;
}
export type Window = Pick<Page, 'limit' | 'offset'>;

/** Each word is in one of the columns. */
export const worded = (text: string, columns: readonly Sql[]): Sql[] =>
  wordsOf(text).map((word) => {
    const pattern = containing(word);
    return sql`(${sql.join(
      columns.map((column) => sql`${column} ilike ${pattern}`),
      sql` or `,
    )})`;
  });

/** One page of the rows of a query, and how many it has. */
export async function paged<T>(
  db: Db,
  tables: Sql,
  columns: Sql,
  from: Sql,
  order: Sql,
  page: Window,
): Promise<{ rows: T[]; total: number }> {
  const [{ rows }, total] = await Promise.all([
    sql<T>`${tables} select ${columns} ${from} order by ${order} limit ${page.limit} offset ${page.offset}`.execute(db),
    countUpTo(db, { limit: (most) => sql<unknown>`${tables} select 1 ${from} limit ${most}` }),
  ]);
  return { rows, total };
}

/** Milestones of projects: of all that the caller sees, of those of a group, or of one. */
export async function findMilestones(
  db: Db,
  caller: Caller,
  place: { readonly projectId: number } | { readonly groupId: number } | null,
  { text, sort, archived }: Search,
  page: Window,
): Promise<{ rows: PlacedMilestone[]; total: number }> {
  const scope = abilityScope(caller, 'read_milestone');
  const where = [
    ...(place === null ? [] : 'projectId' in place ? [sql`p.id = ${place.projectId}`] : []),
    ...(place !== null && 'groupId' in place ? [sql`p.namespace_id in ${below(place.groupId)}`] : []),
    ...(archived || (place !== null && 'projectId' in place) ? [] : [sql`not p.archived`]),
    scope.condition,
  ];
  const from = sql`from milestones m where m.project_id in (select p.id from projects p where ${allOf(where)})
    and ${allOf(worded(text, [sql`m.title`, sql`m.description`]))}`;
  const path = sql`(select n.full_path || '/' || p.path from projects p join namespaces n on n.id = p.namespace_id
    where p.id = m.project_id)`;
  const way = sql.raw(sort);
  const columns = sql`m.*, ${path} as place_path`;
  return await paged(db, withTables(scope.tables), columns, from, sql`m.created_at ${way}, m.id ${way}`, page);
}

/** What a comment is about must be seen as well as the comment. */
function commented(caller: Caller, place: ProjectSubject): Sql {
  const issues = issuesSeen(caller, place);
  const everySnippet = readsAll(caller) || place.level >= Level.guest;
  const open = caller.user === null || caller.user.external ? ['public'] : ['public', 'internal'];
  const snippet = sql`exists (select from snippets s where s.id = t.noteable_id and s.project_id = t.project_id
    and (${everySnippet} or s.visibility = any(${open}::text[]) or s.author_id = ${caller.user?.id ?? null}::bigint))`;
  const kinds: Sql[] = [
    ...(canOnProject(caller, 'read_code', place) ? [sql`t.noteable_type = 'commit'`] : []),
    ...(canOnProject(caller, 'read_merge_request', place) ? [sql`t.noteable_type = 'merge_request'`] : []),
    ...(issues === null
      ? []
      : [sql`(t.noteable_type = 'issue' and exists (select from issues i where i.id = t.noteable_id and ${issues}))`]),
    ...(canOnProject(caller, 'read_snippet', place) ? [sql`(t.noteable_type = 'snippet' and ${snippet})`] : []),
  ];
  return kinds.length === 0 ? sql`false` : sql`(${sql.join(kinds, sql` or `)})`;
}

/** Comments of people in a project. */
export async function findNotes(
  db: Db,
  caller: Caller,
  place: ProjectSubject,
  { text, sort }: Search,
  page: Window,
): Promise<{ rows: Note[]; total: number }> {
  const from = sql`from notes t where ${allOf([
    sql`t.project_id = ${place.project.id}`,
    sql`not t.system`,
    ...(canOnProject(caller, 'read_internal_note', place) ? [] : [sql`not t.internal`]),
    ...worded(text, [sql`t.body`]),
    commented(caller, place),
  ])}`;
  const way = sql.raw(sort);
  return await paged(db, sql``, sql`t.*`, from, sql`t.created_at ${way}, t.id ${way}`, page);
}

/** People by name, username or whole address; those who cannot sign in are only for administrators. */
export async function findPeople(
  db: Db,
  caller: Caller,
  { text, sort }: Search,
  page: Window,
): Promise<{ rows: ReferenceRow[]; total: number }> {
  const pattern = containing(text);
  const address = caller.admin ? sql`lower(u.email)` : sql`lower(u.public_email)`;
  const from = sql`from users u where ${allOf([
    sql`(u.username ilike ${pattern} or u.name ilike ${pattern} or ${address} = lower(${text}))`,
    sql`u.user_type <> 'ghost'`,
    ...(caller.admin ? [] : [sql`u.state = 'active'`]),
  ])}`;
  const columns = sql`u.id, u.username, u.name, u.state, u.public_email, u.locked_until, u.avatar_object_key`;
  return await paged(db, sql``, columns, from, sql`u.created_at ${sql.raw(sort)}, u.id ${sql.raw(sort)}`, page);
}
