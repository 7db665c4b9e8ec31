/** Rows of `protected_environments` with their rules, and who matches these. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ProtectedEnvironment, ProtectedEnvironmentRule } from '../../../kernel/db/rows.ts';
import type { ProtectedEnvironmentRulesTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

/** Whose protection it is. */
export type Place = { readonly project_id: number } | { readonly namespace_id: number };
/** `title`: name of the user or group that is named. */
export type RuleRow = ProtectedEnvironmentRule & { readonly title: string | null };
export type ProtectedRow = ProtectedEnvironment & { readonly rules: readonly RuleRow[] };

const at = (db: Db, place: Place) => {
  const query = db.selectFrom('protected_environments');
  return 'project_id' in place
    ? query.where('project_id', '=', place.project_id)
    : query.where('namespace_id', '=', place.namespace_id);
};

async function withRules(db: Db, rows: readonly ProtectedEnvironment[]): Promise<ProtectedRow[]> {
  if (rows.length === 0) return [];
  const rules = await db
    .selectFrom('protected_environment_rules as r')
    .leftJoin('users as u', 'u.id', 'r.user_id')
    .leftJoin('namespaces as n', 'n.id', 'r.group_id')
    .selectAll('r')
    .select(sql<string | null>`coalesce(u.name, n.name)`.as('title'))
    .where(
      'r.protected_environment_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('r.id')
    .execute();
  const byRow = Map.groupBy(rules, (rule) => rule.protected_environment_id);
  return rows.map((row) => ({ ...row, rules: byRow.get(row.id) ?? [] }));
}

export async function listProtected(
  db: Db,
  place: Place,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: ProtectedRow[]; total: number }> {
  const [rows, total] = await Promise.all([
    at(db, place).selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, at(db, place).select('id')),
  ]);
  return { rows: await withRules(db, rows), total };
}

export async function findProtected(db: Db, place: Place, name: string): Promise<ProtectedRow | undefined> {
  const row = await at(db, place).selectAll().where('name', '=', name).executeTakeFirst();
  return row && (await withRules(db, [row]))[0];
}

/** Undefined when the name is protected already. */
export const insertProtected = (
  tx: Db,
  place: Place,
  name: string,
  required: number,
): Promise<ProtectedEnvironment | undefined> =>
  tx
    .insertInto('protected_environments')
    .values({ project_id: null, namespace_id: null, ...place, name, required_approval_count: required })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export async function touchProtected(tx: Db, id: number, required: number | undefined): Promise<void> {
  await tx
    .updateTable('protected_environments')
    .set({ updated_at: sql`now()`, ...(required === undefined ? {} : { required_approval_count: required }) })
    .where('id', '=', id)
    .execute();
}

/** False when it was removed meanwhile. */
export async function deleteProtected(tx: Db, id: number): Promise<boolean> {
  return (
    (await tx.deleteFrom('protected_environments').where('id', '=', id).returning('id').executeTakeFirst()) !==
    undefined
  );
}

export type RuleValues = Omit<Insertable<ProtectedEnvironmentRulesTable>, 'id' | 'protected_environment_id'>;

export async function insertRule(tx: Db, protectedId: number, values: RuleValues): Promise<void> {
  await tx
    .insertInto('protected_environment_rules')
    .values({ ...values, protected_environment_id: protectedId })
    .execute();
}

export async function updateRule(tx: Db, id: number, values: RuleValues): Promise<void> {
  await tx.updateTable('protected_environment_rules').set(values).where('id', '=', id).execute();
}

export async function deleteRule(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('protected_environment_rules').where('id', '=', id).execute();
}

export const groupExists = async (db: Db, id: number): Promise<boolean> =>
  (await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', '=', id)
    .where('kind', '=', 'group')
    .executeTakeFirst()) !== undefined;

/** What names environments of a project as protected: themselves, or in the groups above their tiers. */
export async function protectedTitles(
  db: Db,
  projectId: number,
): Promise<ReadonlyArray<{ readonly name: string; readonly tier: boolean }>> {
  const { rows } = await sql<{ name: string; tier: boolean }>`
    select e.name, e.project_id is null as tier from protected_environments e
    where e.project_id = ${projectId} or e.namespace_id in (
      select unnest(n.traversal_ids) from projects p join namespaces n on n.id = p.namespace_id where p.id = ${projectId})`.execute(
    db,
  );
  return rows;
}

/** What protects an environment: by its name in its project, by its tier in the groups above. */
export async function protectionsOf(
  db: Db,
  { project_id, name, tier }: { readonly project_id: number; readonly name: string; readonly tier: string },
): Promise<ProtectedRow[]> {
  const { rows } = await sql<ProtectedEnvironment>`
    select e.* from protected_environments e
    where (e.project_id = ${project_id} and e.name = ${name}) or (e.name = ${tier} and e.namespace_id in (
      select unnest(n.traversal_ids) from projects p join namespaces n on n.id = p.namespace_id where p.id = ${project_id}))
    order by e.id`.execute(db);
  return await withRules(db, rows);
}

/** The groups of these that somebody is in: of their own, or by a group above. */
export async function groupsOfMember(
  db: Db,
  userId: number,
  groupIds: readonly number[],
): Promise<ReadonlyArray<{ id: number; direct: boolean }>> {
  if (groupIds.length === 0) return [];
  const { rows } = await sql<{ id: number; direct: boolean }>`
    select i.id, bool_or(m.namespace_id = i.id) as direct
    from namespaces i join grants m on m.namespace_id = any(i.traversal_ids)
    where i.id = any(${[...groupIds]}::bigint[]) and m.user_id = ${userId} and m.level > 5 and m.state = 'active'
      and (m.expires_at is null or m.expires_at > current_date)
    group by i.id`.execute(db);
  return rows;
}

export const activeUser = (db: Db, id: number): Promise<{ id: number; admin: boolean } | undefined> =>
  db.selectFrom('users').select(['id', 'admin']).where('id', '=', id).where('state', '=', 'active').executeTakeFirst();
