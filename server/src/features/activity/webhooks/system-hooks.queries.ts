/** Rows of `web_hooks` that belong to the instance. */
import type { Db } from '../../../kernel/db/index.ts';
import type { WebHook } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

const ofInstance = (db: Db) =>
  db.selectFrom('web_hooks').where('namespace_id', 'is', null).where('project_id', 'is', null);

export async function listSystemHooks(db: Db, page: Pick<Page, 'limit' | 'offset'>): Promise<WebHook[]> {
  return await ofInstance(db).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute();
}

export const countSystemHooks = (db: Db): Promise<number> => countUpTo(db, ofInstance(db).select('id'));

export async function findSystemHook(db: Db, id: number): Promise<WebHook | undefined> {
  return await ofInstance(db).selectAll().where('id', '=', id).executeTakeFirst();
}
