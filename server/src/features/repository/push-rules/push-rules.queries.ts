/** Rows of `push_rules`, and what their checks ask about addresses. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { PushRule } from '../../../kernel/db/rows.ts';

/** Where a rule is kept; the instance where both are null. */
export interface RulePlace {
  readonly project_id: number | null;
  readonly namespace_id: number | null;
}

export type PushRuleValues = Partial<
  Omit<PushRule, 'id' | 'namespace_id' | 'project_id' | 'created_at' | 'updated_at'>
>;

/** The rule of the place itself. */
export async function findRule(db: Db, place: RulePlace): Promise<PushRule | undefined> {
  return await db
    .selectFrom('push_rules')
    .selectAll()
    .where('project_id', 'is not distinct from', place.project_id)
    .where('namespace_id', 'is not distinct from', place.namespace_id)
    .executeTakeFirst();
}

export const nearestRule = (projectId: number | null, namespaceIds: readonly number[]) => sql<PushRule>`
  select * from push_rules r
  where r.project_id = ${projectId} or r.namespace_id = any(${[...namespaceIds]}::bigint[])
    or (r.project_id is null and r.namespace_id is null)
  order by r.project_id is null, array_position(${[...namespaceIds]}::bigint[], r.namespace_id) desc nulls last
  limit 1`;

/** The nearest rule: the project's, that of the closest group above, or the instance's. `namespaceIds` from the top down. */
export async function ruleInForce(
  db: Db,
  projectId: number | null,
  namespaceIds: readonly number[],
): Promise<PushRule | undefined> {
  const { rows } = await nearestRule(projectId, namespaceIds).execute(db);
  return rows[0];
}

/** Undefined when the place has a rule already. */
export async function insertRule(tx: Db, place: RulePlace, values: PushRuleValues): Promise<PushRule | undefined> {
  return await tx
    .insertInto('push_rules')
    .values({ ...place, ...values })
    .onConflict((conflict) => conflict.columns(['namespace_id', 'project_id']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateRule(tx: Db, id: number, values: PushRuleValues): Promise<PushRule | undefined> {
  return await tx
    .updateTable('push_rules')
    .set({ ...values, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteRule(tx: Db, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('push_rules').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Those of the addresses that somebody has confirmed to be theirs, in lower case. */
export async function confirmedAddresses(db: Db, addresses: readonly string[]): Promise<Set<string>> {
  const wanted = sql`any(${addresses.map((each) => each.toLowerCase())}::text[])`;
  const { rows } = await sql<{ email: string }>`
    select lower(u.email) as email from users u where lower(u.email) = ${wanted} and u.confirmed_at is not null
    union
    select lower(e.email) from emails e where lower(e.email) = ${wanted} and e.confirmed_at is not null`.execute(db);
  return new Set(rows.map(({ email }) => email));
}

/** The addresses that a person has confirmed, in lower case. */
export async function addressesOf(db: Db, userId: number): Promise<Set<string>> {
  const { rows } = await sql<{ email: string }>`
    select lower(u.email) as email from users u where u.id = ${userId} and u.confirmed_at is not null
    union
    select lower(e.email) from emails e where e.user_id = ${userId} and e.confirmed_at is not null`.execute(db);
  return new Set(rows.map(({ email }) => email));
}

export async function removeRuleOf(tx: Db, projectId: number): Promise<void> {
  await tx.deleteFrom('push_rules').where('project_id', '=', projectId).execute();
}
