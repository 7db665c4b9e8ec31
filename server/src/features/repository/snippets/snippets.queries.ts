/** Rows of `snippets`: single ones, lists of what a caller sees, what goes with projects and people. */

import type { Insertable, Updateable } from 'kysely';
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { readsAll } from '../../../kernel/authz/subjects.ts';
import { containing, type Db, wordsOf } from '../../../kernel/db/index.ts';
import type { Project, Snippet } from '../../../kernel/db/rows.ts';
import type { SnippetsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { awardsJson } from '../../collaboration/index.ts';
import {
  type ArchivedSnippet,
  abilityScope,
  allOf,
  projectScope,
  type Sql,
  withTables,
} from '../../namespaces/index.ts';

export type SnippetPlace = Pick<Snippet, 'repository_storage' | 'repository_path'>;

/** One that has its first commit. */
export async function findSnippet(db: Db, id: number): Promise<Snippet | null> {
  const row = await db
    .selectFrom('snippets')
    .selectAll()
    .where('id', '=', id)
    .where('refs_generation', '>', 0)
    .executeTakeFirst();
  return row ?? null;
}

/** Of the ids, the snippets of a project that have their first commit. */
export async function snippetsNamed(db: Db, projectId: number, ids: readonly number[]): Promise<Snippet[]> {
  return await db
    .selectFrom('snippets')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', 'in', [...ids])
    .where('refs_generation', '>', 0)
    .execute();
}

/** Also one that is about to be written. */
export async function findSnippetRow(db: Db, id: number): Promise<Snippet | null> {
  return (await db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export async function insertSnippet(db: Db, values: Insertable<SnippetsTable>): Promise<Snippet> {
  return await db.insertInto('snippets').values(values).returningAll().executeTakeFirstOrThrow();
}

export async function updateSnippet(tx: Db, id: number, values: Updateable<SnippetsTable>): Promise<void> {
  await tx
    .updateTable('snippets')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

/** A new generation of the refs, with the files that the branch has now; it is activity of the project. */
export async function bumpSnippet(tx: Db, id: number, files: readonly string[]): Promise<Snippet> {
  const row = await tx
    .updateTable('snippets')
    .set({ refs_generation: sql`refs_generation + 1`, files: [...files], updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (row.project_id !== null)
    await tx.updateTable('projects').set({ last_activity_at: sql`now()` }).where('id', '=', row.project_id).execute();
  return row;
}

export async function setSnippetBranch(tx: Db, id: number, branch: string): Promise<void> {
  await tx.updateTable('snippets').set({ default_branch: branch }).where('id', '=', id).execute();
}

/** What the repository takes on disk, also among what its project stores. */
export async function recordSnippetSize(tx: Db, id: number, size: number): Promise<void> {
  await tx.updateTable('snippets').set({ repository_size: size }).where('id', '=', id).execute();
  await sql`update project_statistics s set snippets_size =
      (select sum(o.repository_size) from snippets o where o.project_id = s.project_id)
    from snippets n where n.id = ${id} and s.project_id = n.project_id`.execute(tx);
}

/** Removes rows; answers where their repositories lie. */
export async function deleteSnippets(
  tx: Db,
  of:
    | { readonly id: number }
    | { readonly projectId: number }
    | { readonly authorId: number; readonly personal: boolean },
): Promise<SnippetPlace[]> {
  const query = tx.deleteFrom('snippets').returning(['repository_storage', 'repository_path']);
  if ('id' in of) return await query.where('id', '=', of.id).execute();
  if ('projectId' in of) return await query.where('project_id', '=', of.projectId).execute();
  const written = query.where('author_id', '=', of.authorId);
  return await (of.personal ? written.where('project_id', 'is', null) : written).execute();
}

/** Those of a project that have their first commit, with the names of their authors. */
export async function archivedSnippets(
  db: Db,
  projectId: number,
): Promise<
  Array<{
    readonly snippet: Snippet;
    readonly author: string | null;
    readonly award_emoji: ArchivedSnippet['award_emoji'];
  }>
> {
  const rows = await db
    .selectFrom('snippets as s')
    .innerJoin('users as u', 'u.id', 's.author_id')
    .selectAll('s')
    .select([
      'u.username',
      sql<ArchivedSnippet['award_emoji']>`${awardsJson({ type: 'snippet', id: sql`s.id` })}`.as('award_emoji'),
    ])
    .where('s.project_id', '=', projectId)
    .where('s.refs_generation', '>', 0)
    .orderBy('s.id')
    .execute();
  return rows.map(({ username, award_emoji, ...snippet }) => ({ snippet, author: username, award_emoji }));
}

/** One that came in an archive is there now, as old as it was. */
export async function settleArchivedSnippet(
  tx: Db,
  id: number,
  values: { readonly files: readonly string[]; readonly created_at: Date; readonly updated_at: Date },
): Promise<void> {
  await tx
    .updateTable('snippets')
    .set({ ...values, files: [...values.files], refs_generation: sql`refs_generation + 1` })
    .where('id', '=', id)
    .execute();
}

/** Removes those whose first commit never came. */
export async function deleteUnwritten(tx: Db): Promise<SnippetPlace[]> {
  return await tx
    .deleteFrom('snippets')
    .where('refs_generation', '=', 0)
    .where('created_at', '<', sql<Date>`now() - interval '1 day'`)
    .returning(['repository_storage', 'repository_path'])
    .execute();
}

/** Where the snippets of a project lie. */
export async function snippetsOf(db: Db, projectId: number): Promise<SnippetPlace[]> {
  return await db
    .selectFrom('snippets')
    .select(['repository_storage', 'repository_path'])
    .where('project_id', '=', projectId)
    .execute();
}

/** Makes another user the author. */
export async function moveSnippets(tx: Db, from: number, to: number): Promise<void> {
  await tx.updateTable('snippets').set({ author_id: to }).where('author_id', '=', from).execute();
}

export interface SnippetFilter {
  /** Of this author. */
  readonly authorId?: number | undefined;
  /** Of this project, which the caller reads. */
  readonly place?: ProjectSubject | undefined;
  /** Public ones only. */
  readonly open?: true;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly storage?: string | undefined;
  /** Words that title or description have, each of them. */
  readonly search?: string | undefined;
  /** By id, which is by time; the newest first unless told. */
  readonly sort?: 'asc' | 'desc' | undefined;
}

/** `with ...`, and the condition on rows `s` of what the caller sees. */
function conditions(caller: Caller, filter: SnippetFilter): { with: Sql; where: Sql } {
  const where: Sql[] = [sql`s.refs_generation > 0`];
  if (filter.authorId !== undefined) where.push(sql`s.author_id = ${filter.authorId}`);
  if (filter.open) where.push(sql`s.visibility = 'public'`);
  if (filter.createdAfter) where.push(sql`s.created_at >= ${filter.createdAfter}`);
  if (filter.createdBefore) where.push(sql`s.created_at <= ${filter.createdBefore}`);
  if (filter.storage !== undefined) where.push(sql`s.repository_storage = ${filter.storage}`);
  for (const word of wordsOf(filter.search ?? '')) {
    const pattern = containing(word);
    where.push(sql`(s.title ilike ${pattern} or s.description ilike ${pattern})`);
  }
  const all = readsAll(caller);
  const me = caller.user?.id ?? null;
  const seen =
    caller.user === null || caller.user.external
      ? sql`s.visibility = 'public'`
      : sql`s.visibility in ('public', 'internal')`;
  const own = sql`s.author_id is not distinct from ${me}::bigint`;
  if (filter.place) {
    where.push(sql`s.project_id = ${filter.place.project.id}`);
    if (!all && filter.place.level < Level.guest) where.push(sql`(${seen} or ${own})`);
    return { with: sql``, where: allOf(where) };
  }
  const reads = abilityScope(caller, 'read_snippet');
  where.push(sql`(s.project_id is null or s.project_id in (select p.id from projects p where ${reads.condition}))`);
  if (all) return { with: withTables(reads.tables), where: allOf(where) };
  const member = me === null ? null : projectScope(caller, { minimum: Level.guest });
  const ofMember = member ? sql` or s.project_id in (select p.id from projects p where ${member.condition})` : sql``;
  where.push(sql`(${seen} or ${own}${ofMember})`);
  return { with: withTables(reads.tables), where: allOf(where) };
}

/** The newest first, with how many there are. */
export async function listSnippets(
  db: Db,
  caller: Caller,
  filter: SnippetFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Snippet[]; total: number }> {
  const found = conditions(caller, filter);
  const [{ rows }, total] = await Promise.all([
    sql<Snippet>`${found.with} select s.* from snippets s where ${found.where}
      order by s.id ${sql.raw(filter.sort ?? 'desc')} limit ${page.limit} offset ${page.offset}`.execute(db),
    countUpTo(db, {
      limit: (most) => sql<unknown>`${found.with} select s.id from snippets s where ${found.where} limit ${most}`,
    }),
  ]);
  return { rows, total };
}

/** Full paths of projects by id. */
export async function projectPaths(db: Db, ids: readonly Project['id'][]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; path: string }>`
    select p.id, n.full_path || '/' || p.path as path from projects p join namespaces n on n.id = p.namespace_id
    where p.id = any(${[...new Set(ids)]}::bigint[])`.execute(db);
  return new Map(rows.map(({ id, path }) => [id, path]));
}
