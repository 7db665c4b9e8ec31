/** Rows of `ci_variables`: of the instance, groups and projects. Values are encrypted; only the service opens them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { CiVariable } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

/** Whose variables: both null for the instance. */
export interface VariableOwner {
  readonly projectId: number | null;
  readonly namespaceId: number | null;
}

const owned = (db: Db, owner: VariableOwner) =>
  db
    .selectFrom('ci_variables')
    .where('project_id', owner.projectId === null ? 'is' : '=', owner.projectId)
    .where('namespace_id', owner.namespaceId === null ? 'is' : '=', owner.namespaceId);

export async function listVariables(
  db: Db,
  owner: VariableOwner,
  page: Page,
): Promise<{ rows: CiVariable[]; total: number }> {
  const [rows, total] = await Promise.all([
    owned(db, owner).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, owned(db, owner).select('id')),
  ]);
  return { rows, total };
}

/** All of one key, one per environment scope. */
export async function findVariables(db: Db, owner: VariableOwner, key: string): Promise<CiVariable[]> {
  return await owned(db, owner).selectAll().where('key', '=', key).orderBy('id').execute();
}

export type VariableColumns = Pick<
  CiVariable,
  | 'key'
  | 'value_encrypted'
  | 'variable_type'
  | 'protected'
  | 'masked'
  | 'hidden'
  | 'raw'
  | 'environment_scope'
  | 'description'
>;

/** The new row; undefined when the key exists in that scope. */
export async function insertVariable(
  db: Db,
  owner: VariableOwner,
  columns: VariableColumns,
): Promise<CiVariable | undefined> {
  return await db
    .insertInto('ci_variables')
    .values({ ...columns, project_id: owner.projectId, namespace_id: owner.namespaceId })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** The changed row, while there is one. Another one with the key in that scope is a violation of `ci_variables_key`. */
export async function updateVariable(db: Db, id: number, columns: VariableColumns): Promise<CiVariable | undefined> {
  return await db
    .updateTable('ci_variables')
    .set({ ...columns, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** False when it was removed meanwhile. */
export async function deleteVariable(db: Db, id: number): Promise<boolean> {
  return (await db.deleteFrom('ci_variables').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

export async function countVariables(db: Db, owner: VariableOwner): Promise<number> {
  const row = await owned(db, owner)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Everything that applies to a project, weakest first: the instance, its groups from the top down, the project. Within
 * one owner wider scopes come first.
 */
export async function variablesFor(db: Db, projectId: number, traversalIds: readonly number[]): Promise<CiVariable[]> {
  return await db
    .selectFrom('ci_variables')
    .selectAll()
    .where((where) =>
      where.or([
        where('project_id', '=', projectId),
        where('namespace_id', 'in', traversalIds.length > 0 ? [...traversalIds] : [0]),
        where.and([where('project_id', 'is', null), where('namespace_id', 'is', null)]),
      ]),
    )
    .orderBy(sql`project_id is not null`)
    .orderBy(sql`coalesce(array_position(${[...traversalIds]}::bigint[], namespace_id), 0)`)
    .orderBy(sql`environment_scope <> '*'`)
    .orderBy(sql`length(replace(environment_scope, '*', ''))`)
    .orderBy('id')
    .execute();
}
