/** Rows of to-dos. A person has at most one pending to-do about a thing. */
import { type SqlBool, sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, insertMany } from '../../../kernel/db/index.ts';
import type { Todo } from '../../../kernel/db/rows.ts';
import { publish } from '../../../kernel/events/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, below, groupScope, type ReferredNamespace, withTables } from '../../namespaces/index.ts';
import type { Noteable, NoteableType } from '../notes/index.ts';

export type TodoAction = Todo['action'];

export interface NewTodo {
  /** Whose to-do it is. */
  readonly userId: number;
  /** Who caused it. */
  readonly authorId: number;
  readonly noteable: Noteable;
  readonly action: TodoAction;
  /** The comment that mentions somebody. */
  readonly noteId?: number | null;
}

/** Tells open pages of people that their to-dos changed. */
export async function announce(tx: Db, userIds: readonly number[]): Promise<void> {
  await publish(tx, ...userIds.map((id) => `user:${id}:todos`));
}

/** Adds a to-do; undefined where the person has a pending one about the thing already. */
export async function createTodo(tx: Db, todo: NewTodo): Promise<Todo | undefined> {
  const { id, type, projectId, groupId } = todo.noteable;
  if (id === null) return undefined;
  const made = await tx
    .insertInto('todos')
    .values({
      user_id: todo.userId,
      author_id: todo.authorId,
      project_id: projectId,
      namespace_id: groupId,
      noteable_type: type,
      noteable_id: id,
      note_id: todo.noteId ?? null,
      action: todo.action,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made) await announce(tx, [todo.userId]);
  return made;
}

/** Adds to-dos; none where the person has a pending one about the thing already. */
export async function createTodos(tx: Db, todos: readonly NewTodo[]): Promise<void> {
  const rows = todos.map(({ userId, authorId, noteable, action, noteId = null }) => ({
    ...{ user_id: userId, author_id: authorId, project_id: noteable.projectId, namespace_id: noteable.groupId },
    ...{ noteable_type: noteable.type, noteable_id: noteable.id, note_id: noteId, action },
  }));
  const made = await insertMany(tx, 'todos', rows, ['user_id']);
  await announce(
    tx,
    made.map(({ user_id }) => user_id),
  );
}

const done = { state: 'done' as const, updated_at: sql<Date>`now()` };

/** Marks what a person has to do about a thing as done: they acted on it. */
export const resolveTodos = (tx: Db, noteable: Pick<Noteable, 'type' | 'id'>, userId: number): Promise<void> =>
  resolveAll(tx, [{ noteable, userId }]);

/** The same of several people and things. */
export async function resolveAll(
  tx: Db,
  acts: readonly { readonly noteable: Pick<Noteable, 'type' | 'id'>; readonly userId: number }[],
): Promise<void> {
  const about = acts.filter(({ noteable }) => noteable.id !== null);
  if (about.length === 0) return;
  const marked = await sql<{ user_id: number }>`update todos t set state = 'done', updated_at = now()
    from unnest(
      ${about.map(({ userId }) => userId)}::bigint[],
      ${about.map(({ noteable }) => noteable.type)}::text[],
      ${about.map(({ noteable }) => noteable.id)}::bigint[]) acted (user_id, noteable_type, noteable_id)
    where t.user_id = acted.user_id and t.noteable_type = acted.noteable_type and t.noteable_id = acted.noteable_id
      and t.state = 'pending'
    returning t.user_id`.execute(tx);
  await announce(
    tx,
    marked.rows.map(({ user_id }) => user_id),
  );
}

/** Marks one of a person's to-dos as done; undefined where they have none of that id. */
export async function markDone(tx: Db, userId: number, id: number): Promise<Todo | undefined> {
  const marking = tx.updateTable('todos').set(done).where('user_id', '=', userId).where('id', '=', id);
  const marked = await marking.returningAll().executeTakeFirst();
  if (marked) await announce(tx, [userId]);
  return marked;
}

/** Marks a person's pending to-dos that match the filter as done; their ids. */
export async function markAllDone(tx: Db, userId: number, filter: Omit<TodoFilter, 'state'>): Promise<number[]> {
  const pending = filtered(tx, userId, { ...filter, state: 'pending' }).select('id');
  const marked = await tx.updateTable('todos').set(done).where('id', 'in', pending).returning('id').execute();
  if (marked.length > 0) await announce(tx, [userId]);
  return marked.map(({ id }) => id);
}

/** Restores to-dos of a person that are done; a thing that has a pending one keeps that one. The ids of those restored. */
export async function markPending(tx: Db, userId: number, ids: readonly number[]): Promise<number[]> {
  const restored = await sql<{ id: number }>`update todos set state = 'pending', updated_at = now()
    where id in (
      select distinct on (t.noteable_type, t.noteable_id) t.id from todos t
      where t.user_id = ${userId} and t.state = 'done' and t.id = any(${[...ids]}::bigint[])
        and not exists (
          select from todos p where p.user_id = t.user_id and p.state = 'pending'
            and p.noteable_type = t.noteable_type and p.noteable_id = t.noteable_id)
      order by t.noteable_type, t.noteable_id, t.id desc)
    returning id`.execute(tx);
  if (restored.rows.length > 0) await announce(tx, [userId]);
  return restored.rows.map(({ id }) => id);
}

export interface TodoFilter {
  readonly action?: TodoAction | undefined;
  readonly authorId?: number | undefined;
  readonly projectId?: number | undefined;
  /** Also what is in the groups below. */
  readonly groupId?: number | undefined;
  readonly state: Todo['state'];
  /** Null for kinds that no to-do is about. */
  readonly type?: NoteableType | null | undefined;
}

function filtered(db: Db, userId: number, filter: TodoFilter) {
  let query = db.selectFrom('todos').where('user_id', '=', userId).where('state', '=', filter.state);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.authorId !== undefined) query = query.where('author_id', '=', filter.authorId);
  if (filter.projectId !== undefined) query = query.where('project_id', '=', filter.projectId);
  if (filter.type === null) query = query.where(sql<SqlBool>`false`);
  else if (filter.type !== undefined) query = query.where('noteable_type', '=', filter.type);
  if (filter.groupId !== undefined) {
    const groups = below(filter.groupId);
    query = query.where(
      sql<SqlBool>`(namespace_id in ${groups} or project_id in (select id from projects where namespace_id in ${groups}))`,
    );
  }
  return query;
}

/** One page of a person's to-dos, the newest first, and how many there are. */
export async function listTodos(
  db: Db,
  userId: number,
  filter: TodoFilter,
  page: Page,
): Promise<{ rows: Todo[]; total: number }> {
  const query = filtered(db, userId, filter);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export interface TodoProject {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_name: string;
  readonly full_path: string;
}

export async function projectsOfTodos(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, TodoProject>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select(['p.id', 'p.name', 'p.path', 'n.full_name', 'n.full_path'])
    .where('p.id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Groups whose epics to-dos are about. */
export async function groupsOfTodos(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, ReferredNamespace>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('namespaces')
    .select(['id', 'name', 'path', 'kind', 'full_path', 'parent_id', 'owner_id', 'avatar_object_key'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Of internal comments those that the caller may read now. */
async function stillRead(db: Db, noteIds: readonly number[], caller: Caller): Promise<ReadonlySet<number>> {
  const projects = abilityScope(caller, 'read_internal_note');
  const groups = groupScope(caller, { minimum: Level.planner });
  const { rows } = await sql<{ id: number }>`${withTables(projects.tables ?? groups.tables)}
    select t.id from notes t where t.id = any(${[...noteIds]}::bigint[]) and (
      exists (select from projects p where p.id = t.project_id and ${projects.condition})
      or exists (select from namespaces n where n.id = t.namespace_id and ${groups.condition}))`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Texts of comments that to-dos are about; null for those that the caller may no longer read. */
export async function bodiesOf(
  db: Db,
  noteIds: readonly number[],
  caller: Caller,
): Promise<ReadonlyMap<number, string | null>> {
  if (noteIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('notes')
    .select(['id', 'body', 'internal'])
    .where('id', 'in', [...noteIds])
    .execute();
  const internal = rows.filter((row) => row.internal).map(({ id }) => id);
  const read = internal.length === 0 ? null : await stillRead(db, internal, caller);
  return new Map(rows.map((row) => [row.id, row.internal && !read?.has(row.id) ? null : row.body]));
}
