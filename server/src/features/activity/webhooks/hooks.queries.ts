/** Rows of `web_hooks`. */
import { sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { WebHook } from '../../../kernel/db/rows.ts';
import type { WebHooksTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { type Place, placeColumns } from '../../namespaces/index.ts';

export type HookColumns = Omit<Updateable<WebHooksTable>, 'id' | 'namespace_id' | 'project_id'>;

/** All of a place that its hooks are found by. */
type Owner =
  | { readonly kind: 'group'; readonly group: { readonly id: number } }
  | { readonly kind: 'project'; readonly project: { readonly id: number } };

function of(db: Db, place: Owner) {
  const query = db.selectFrom('web_hooks');
  return place.kind === 'group'
    ? query.where('namespace_id', '=', place.group.id)
    : query.where('project_id', '=', place.project.id);
}

export async function listHooks(db: Db, place: Place, page: Pick<Page, 'limit' | 'offset'>): Promise<WebHook[]> {
  return await of(db, place).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute();
}

export const countHooks = (db: Db, place: Owner): Promise<number> => countUpTo(db, of(db, place).select('id'));

export async function findHook(db: Db, place: Place, id: number): Promise<WebHook | undefined> {
  return await of(db, place).selectAll().where('id', '=', id).executeTakeFirst();
}

/** The same, so that two changes of its secrets do not undo each other. */
export async function lockHook(tx: Db, place: Place, id: number): Promise<WebHook | undefined> {
  return await of(tx, place).selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Of a group or project; of the instance for null. */
export async function insertHook(
  tx: Db,
  place: Place | null,
  columns: HookColumns & { readonly url: string },
): Promise<WebHook> {
  return await tx
    .insertInto('web_hooks')
    .values({ ...columns, ...(place ? placeColumns(place) : { namespace_id: null, project_id: null }) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateHook(tx: Db, id: number, columns: HookColumns): Promise<WebHook | undefined> {
  return await tx
    .updateTable('web_hooks')
    .set({ ...columns, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteHook(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('web_hooks').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
