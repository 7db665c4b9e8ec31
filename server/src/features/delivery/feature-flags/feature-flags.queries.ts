/** Rows of `feature_flags` with their strategies and scopes. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { FeatureFlag } from '../../../kernel/db/rows.ts';
import type {
  FeatureFlagScopesTable,
  FeatureFlagStrategiesTable,
  FeatureFlagsTable,
} from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import type { FlagWithStrategies, StrategyJson } from './feature-flags.entity.ts';

const strategies = sql<StrategyJson[]>`coalesce((select jsonb_agg(jsonb_build_object(
    'id', s.id, 'name', s.name, 'parameters', s.parameters,
    'scopes', coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'environment_scope', c.environment_scope) order by c.id)
      from feature_flag_scopes c where c.strategy_id = s.id), '[]'),
    'user_list', (select jsonb_build_object('id', l.id, 'iid', l.iid, 'name', l.name, 'user_xids', l.user_xids)
      from feature_flag_user_lists l where l.id = s.user_list_id)) order by s.id)
  from feature_flag_strategies s where s.feature_flag_id = feature_flags.id), '[]')`.as('strategies');

/** By name. */
export async function listFlags(
  db: Db,
  projectId: number,
  active: boolean | null,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: FlagWithStrategies[]; total: number }> {
  const query = db
    .selectFrom('feature_flags')
    .where('project_id', '=', projectId)
    .$if(active !== null, (each) => each.where('active', '=', active === true));
  const [rows, total] = await Promise.all([
    query.selectAll().select(strategies).orderBy('name').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** All of a project, for its clients. */
export const flagsOf = (db: Db, projectId: number): Promise<FlagWithStrategies[]> =>
  db
    .selectFrom('feature_flags')
    .where('project_id', '=', projectId)
    .selectAll()
    .select(strategies)
    .orderBy('id')
    .execute();

export const findFlag = (db: Db, projectId: number, name: string): Promise<FlagWithStrategies | undefined> =>
  db
    .selectFrom('feature_flags')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .selectAll()
    .select(strategies)
    .executeTakeFirst();

/** Held until the end of the transaction: two changes of a flag come one after the other. */
export const lockFlag = (tx: Db, projectId: number, name: string): Promise<FeatureFlag | undefined> =>
  tx
    .selectFrom('feature_flags')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .selectAll()
    .forUpdate()
    .executeTakeFirst();

export const insertFlag = (tx: Db, values: Insertable<FeatureFlagsTable>): Promise<FeatureFlag> =>
  tx.insertInto('feature_flags').values(values).returningAll().executeTakeFirstOrThrow();

export async function updateFlag(tx: Db, id: number, values: Updateable<FeatureFlagsTable>): Promise<void> {
  await tx
    .updateTable('feature_flags')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

export async function deleteFlag(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('feature_flags').where('id', '=', id).execute();
}

export const insertStrategy = (tx: Db, values: Insertable<FeatureFlagStrategiesTable>): Promise<{ id: number }> =>
  tx.insertInto('feature_flag_strategies').values(values).returning('id').executeTakeFirstOrThrow();

export async function updateStrategy(
  tx: Db,
  id: number,
  values: Updateable<FeatureFlagStrategiesTable>,
): Promise<void> {
  await tx.updateTable('feature_flag_strategies').set(values).where('id', '=', id).execute();
}

export async function deleteStrategy(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('feature_flag_strategies').where('id', '=', id).execute();
}

export async function insertScope(tx: Db, values: Insertable<FeatureFlagScopesTable>): Promise<void> {
  await tx.insertInto('feature_flag_scopes').values(values).execute();
}

export async function updateScope(tx: Db, id: number, environment_scope: string): Promise<void> {
  await tx.updateTable('feature_flag_scopes').set({ environment_scope }).where('id', '=', id).execute();
}

export async function deleteScope(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('feature_flag_scopes').where('id', '=', id).execute();
}
