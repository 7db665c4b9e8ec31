/** SQL of integrations and of the events that were sent to them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Integration } from '../../../kernel/db/rows.ts';

/** Where integrations are set. */
export type IntegrationPlace =
  | { readonly kind: 'project'; readonly id: number; readonly groupIds: readonly number[] }
  /** Ids of the groups above, the group itself last. */
  | { readonly kind: 'group'; readonly id: number; readonly groupIds: readonly number[] }
  | { readonly kind: 'instance' };

const own = (place: IntegrationPlace) =>
  place.kind === 'project'
    ? { project_id: place.id, namespace_id: null }
    : place.kind === 'group'
      ? { project_id: null, namespace_id: place.id }
      : { project_id: null, namespace_id: null };

/** Those of a place and of all above it, the nearest first. */
async function chain(db: Db, place: IntegrationPlace, slug?: string): Promise<Integration[]> {
  const projectId = place.kind === 'project' ? place.id : null;
  const groupIds = place.kind === 'instance' ? [] : [...place.groupIds];
  const { rows } = await sql<Integration>`
    select * from integrations
    where (project_id = ${projectId}::bigint or namespace_id = any(${groupIds}::bigint[])
      or (project_id is null and namespace_id is null))
      and (${slug ?? null}::text is null or slug = ${slug ?? null}::text)
    order by slug, project_id is null, coalesce(array_position(${groupIds}::bigint[], namespace_id), 0) desc`.execute(
    db,
  );
  return rows;
}

/** What counts in a place: its own settings, or the nearest ones above it. */
export interface EffectiveIntegration {
  readonly row: Integration;
  readonly inherited: boolean;
}

export async function effectiveIntegrations(
  db: Db,
  place: IntegrationPlace,
  slug?: string,
): Promise<EffectiveIntegration[]> {
  const found = new Map<string, EffectiveIntegration>();
  const { project_id, namespace_id } = own(place);
  for (const row of await chain(db, place, slug)) {
    if (found.has(row.slug) || row.inherited) continue;
    const inherited = row.project_id !== project_id || row.namespace_id !== namespace_id;
    found.set(row.slug, { row, inherited });
  }
  return [...found.values()];
}

/** Takes away what was set, so that nothing from above counts either; false when nothing was. */
export async function clearIntegration(db: Db, place: IntegrationPlace, slug: string): Promise<boolean> {
  const columns = { active: false, inherited: false, events: [], properties: '{}', secrets_sealed: null };
  const row = await db
    .insertInto('integrations')
    .values({ ...own(place), slug, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'namespace_id', 'slug'])
        .doUpdateSet({ ...columns, updated_at: sql`now()` })
        .where(
          sql<boolean>`integrations.active or integrations.inherited or integrations.events <> '{}'
            or integrations.properties <> '{}' or integrations.secrets_sealed is not null`,
        ),
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function saveIntegration(
  db: Db,
  place: IntegrationPlace,
  slug: string,
  values: {
    readonly active: boolean;
    readonly inherited: boolean;
    readonly events: readonly string[];
    readonly properties: object;
    readonly secrets_sealed: Buffer | null;
  },
): Promise<Integration> {
  const columns = { ...values, events: [...values.events], properties: JSON.stringify(values.properties) };
  return await db
    .insertInto('integrations')
    .values({ ...own(place), slug, ...columns })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'namespace_id', 'slug']).doUpdateSet({ ...columns, updated_at: sql`now()` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export const integrationById = (db: Db, id: number): Promise<Integration | undefined> =>
  db.selectFrom('integrations').selectAll().where('id', '=', id).executeTakeFirst();

/** Null where the event was sent already. */
export async function insertCall(
  db: Db,
  call: {
    readonly integration_id: number;
    readonly project_id: number;
    readonly fact_id: number | null;
    readonly event: string;
    readonly payload: string;
  },
): Promise<number | null> {
  const row = await db
    .insertInto('integration_calls')
    .values(call)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export const callById = (db: Db, id: number) =>
  db.selectFrom('integration_calls').selectAll().where('id', '=', id).executeTakeFirst();

export async function finishCall(db: Db, id: number, ok: boolean, message: string): Promise<void> {
  await db
    .updateTable('integration_calls')
    .set({ ok, message, finished_at: sql`now()` })
    .where('id', '=', id)
    .execute();
}

export async function forgetCalls(db: Db, days: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('integration_calls')
    .select('id')
    .where('created_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .limit(limit);
  const result = await db.deleteFrom('integration_calls').where('id', 'in', old).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** How the newest pipeline of a ref before another one ended; undefined where none has. */
export async function statusBefore(db: Db, projectId: number, ref: string, id: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('pipelines')
    .select('status')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .where('id', '<', id)
    .where('status', 'in', ['success', 'failed'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.status;
}

/** How an active user with a confirmed address is shown as the sender of a mail. */
export const senderById = (db: Db, id: number): Promise<{ name: string; address: string } | undefined> =>
  db
    .selectFrom('users')
    .select(({ fn }) => ['name', fn.coalesce('commit_email', 'email').as('address')])
    .where('id', '=', id)
    .where('state', '=', 'active')
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
