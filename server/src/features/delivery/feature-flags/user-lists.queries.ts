/** Rows of `feature_flag_user_lists` and `feature_flag_clients`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { FeatureFlagUserList } from '../../../kernel/db/rows.ts';
import type { FeatureFlagUserListsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export async function listUserLists(
  db: Db,
  projectId: number,
  search: string | undefined,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: FeatureFlagUserList[]; total: number }> {
  const query = db
    .selectFrom('feature_flag_user_lists')
    .where('project_id', '=', projectId)
    .$if(Boolean(search), (each) => each.where(sql<boolean>`strpos(lower(name), lower(${search})) > 0`));
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('iid').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

const list = (db: Db, projectId: number) =>
  db.selectFrom('feature_flag_user_lists').selectAll().where('project_id', '=', projectId);

export const findUserList = (db: Db, projectId: number, iid: number): Promise<FeatureFlagUserList | undefined> =>
  list(db, projectId).where('iid', '=', iid).executeTakeFirst();

export const userListById = (db: Db, projectId: number, id: number): Promise<FeatureFlagUserList | undefined> =>
  list(db, projectId).where('id', '=', id).executeTakeFirst();

/** Waits for strategies that begin to use it. */
export const lockUserList = (tx: Db, projectId: number, iid: number): Promise<FeatureFlagUserList | undefined> =>
  list(tx, projectId).where('iid', '=', iid).forUpdate().executeTakeFirst();

export async function isUsed(tx: Db, listId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('feature_flag_strategies')
    .select('id')
    .where('user_list_id', '=', listId)
    .executeTakeFirst();
  return row !== undefined;
}

export const insertUserList = (tx: Db, values: Insertable<FeatureFlagUserListsTable>): Promise<FeatureFlagUserList> =>
  tx.insertInto('feature_flag_user_lists').values(values).returningAll().executeTakeFirstOrThrow();

export const updateUserList = (
  tx: Db,
  id: number,
  values: Updateable<FeatureFlagUserListsTable>,
): Promise<FeatureFlagUserList> =>
  tx
    .updateTable('feature_flag_user_lists')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deleteUserList(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('feature_flag_user_lists').where('id', '=', id).execute();
}

/** The token of a project's clients, sealed. */
export const clientOf = (db: Db, projectId: number) =>
  db.selectFrom('feature_flag_clients').select('token_sealed').where('project_id', '=', projectId).executeTakeFirst();

/** Whether the project has this token, is there and has flags switched on. */
export async function isClient(db: Db, projectId: number, tokenSha256: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('feature_flag_clients as c')
    .innerJoin('projects as p', 'p.id', 'c.project_id')
    .select('c.project_id')
    .where('c.project_id', '=', projectId)
    .where('c.token_sha256', '=', tokenSha256)
    .where('p.feature_flags_access_level', '<>', 'disabled')
    .where('p.marked_for_deletion_on', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

export async function replaceClient(
  tx: Db,
  projectId: number,
  token: { sha256: Buffer; sealed: Buffer },
): Promise<void> {
  const values = { token_sha256: token.sha256, token_sealed: token.sealed };
  await tx
    .insertInto('feature_flag_clients')
    .values({ project_id: projectId, ...values })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ ...values, created_at: sql`now()` }))
    .execute();
}
