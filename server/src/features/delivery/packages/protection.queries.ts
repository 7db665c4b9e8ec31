/** Rows of `package_protection_rules`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { PackageProtectionRule } from '../../../kernel/db/rows.ts';
import type { PackageProtectionRulesTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export async function listProtectionRules(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: PackageProtectionRule[]; total: number }> {
  const query = db.selectFrom('package_protection_rules').where('project_id', '=', projectId);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** All that are about packages of a kind. */
export const protectionRulesOf = (db: Db, projectId: number, type: 'generic'): Promise<PackageProtectionRule[]> =>
  db
    .selectFrom('package_protection_rules')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('package_type', '=', type)
    .execute();

/** The row, locked until the transaction ends. */
export const lockProtectionRule = (tx: Db, projectId: number, id: number): Promise<PackageProtectionRule | undefined> =>
  tx
    .selectFrom('package_protection_rules')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export const insertProtectionRule = (
  tx: Db,
  values: Insertable<PackageProtectionRulesTable>,
): Promise<PackageProtectionRule> =>
  tx.insertInto('package_protection_rules').values(values).returningAll().executeTakeFirstOrThrow();

export const updateProtectionRule = (
  tx: Db,
  id: number,
  values: Updateable<PackageProtectionRulesTable>,
): Promise<PackageProtectionRule> =>
  tx
    .updateTable('package_protection_rules')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deleteProtectionRule(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('package_protection_rules').where('id', '=', id).execute();
}
