/** Intents, generations and the first protection: what the write path keeps in the database. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { type BranchProtection, protectsNothing } from '../../../kernel/settings/branch-protection.ts';
import type { RefChange } from './protection.ts';
import { defaultProtectionOf } from './protections.queries.ts';

export interface OpenIntent {
  readonly id: number;
  readonly kind: string;
  readonly actorId: number | null;
  readonly changes: readonly RefChange[];
  readonly details: IntentDetails;
}

/** What the facts of a write need besides its ref changes; kept so that a repair can still tell them. */
export interface IntentDetails {
  readonly via: 'push' | 'api' | 'merge';
  readonly pushOptions: readonly string[];
  /** The job whose token pushed: no pipeline comes of it. */
  readonly jobId?: number;
  /** All or nothing: what is missing of it is made up for. */
  readonly atomic?: boolean;
}

/** Whose repository a write is about: the column that names it. */
export type Owner = 'project_id' | 'wiki_id' | 'snippet_id';

export async function insertIntent(
  db: Db,
  owner: Owner,
  intent: {
    ownerId: number;
    kind: string;
    actorId: number | null;
    changes: readonly RefChange[];
    details: IntentDetails;
  },
): Promise<number> {
  const row = await db
    .insertInto('repository_intents')
    .values({
      [owner]: intent.ownerId,
      kind: intent.kind,
      actor_id: intent.actorId,
      changes: JSON.stringify(intent.changes),
      facts: JSON.stringify(intent.details),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Whether nobody has settled an intent yet. */
export const isOpenIntent = async (db: Db, id: number): Promise<boolean> =>
  (await db
    .selectFrom('repository_intents')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst()) !== undefined;

/** Ends intents that are still open; answers how many were. */
export async function settleIntents(db: Db, ids: readonly number[], state: 'applied' | 'abandoned'): Promise<number> {
  if (ids.length === 0) return 0;
  const result = await db
    .updateTable('repository_intents')
    .set({ state, settled_at: new Date() })
    .where('id', 'in', ids)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Whether intents that were applied were still open; false: somebody else has settled them, and told of it. */
export const settledAsApplied = async (db: Db, ids: readonly number[]): Promise<boolean> =>
  (await settleIntents(db, ids, 'applied')) === ids.length;

/** Forgets intents that were settled more than `days` ago, at most `limit`; answers how many. */
export async function forgetIntents(db: Db, days: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('repository_intents')
    .select('id')
    .where('state', '<>', 'open')
    .where('settled_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .limit(limit);
  const result = await db.deleteFrom('repository_intents').where('id', 'in', old).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Takes the lock of a project's repository on this connection; answers the intents that are open then. */
export async function lockRepository(connection: Db, key: string, projectId: number): Promise<OpenIntent[]> {
  const { rows } = await sql<IntentRow>`
    select id, kind, actor_id, changes, facts from lock_repository(${key}::bigint, ${projectId})`.execute(connection);
  return rows.map(intentOf);
}

export async function openIntents(db: Db, owner: Owner, id: number): Promise<OpenIntent[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .select(['id', 'kind', 'actor_id', 'changes', 'facts'])
    .where(owner, '=', id)
    .where('state', '=', 'open')
    .orderBy('id')
    .execute();
  return rows.map(intentOf);
}

interface IntentRow {
  readonly id: number;
  readonly kind: string;
  readonly actor_id: number | null;
  readonly changes: unknown;
  readonly facts: unknown;
}

const intentOf = (row: IntentRow): OpenIntent => ({
  id: row.id,
  kind: row.kind,
  actorId: row.actor_id,
  changes: row.changes as RefChange[],
  details: row.facts as IntentDetails,
});

/** Ids of the projects or wikis with an intent that has been open for longer than `seconds`: their writer is gone or very slow. */
export async function withOldIntents(db: Db, owner: Owner, seconds: number): Promise<number[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .select(owner)
    .distinct()
    .where(owner, 'is not', null)
    .where('state', '=', 'open')
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute();
  return rows.flatMap((row) => (row as { readonly [key in Owner]?: number | null })[owner] ?? []);
}

/**
 * Settles intents that were applied and bumps the generation of the project's refs, by which every cache of refs is keyed.
 * Null, with the generation as it was, where somebody else has settled one of them.
 */
export async function settleAndBump(
  tx: Db,
  projectId: number,
  intents: readonly number[],
): Promise<{ readonly refs_generation: number; readonly maintained_generation: number } | null> {
  const { rows } = await sql<{ refs_generation: number; maintained_generation: number }>`
    with settled as (
      update repository_intents set state = 'applied', settled_at = now()
      where id = any(${[...intents]}::bigint[]) and state = 'open' returning id)
    update projects set refs_generation = refs_generation + 1, last_activity_at = now()
    where id = ${projectId} and (select count(*) from settled) = ${intents.length}::int
    returning refs_generation, maintained_generation`.execute(tx);
  return rows[0] ?? null;
}

/** The same for refs of the service and for HEAD, which are no activity of people. */
export async function bumpServiceRefs(db: Db, projectId: number): Promise<void> {
  await db
    .updateTable('projects')
    .set({ refs_generation: sql`refs_generation + 1` })
    .where('id', '=', projectId)
    .execute();
}

export async function setDefaultBranch(db: Db, projectId: number, branch: string): Promise<void> {
  await db.updateTable('projects').set({ default_branch: branch }).where('id', '=', projectId).execute();
}

/** Protects the first branch as the namespace says; keeps a rule that exists. */
export async function protectDefaultBranch(db: Db, projectId: number, name: string): Promise<void> {
  const rules = await defaultProtectionOf(db, projectId);
  if (protectsNothing(rules)) return;
  const row = await db
    .insertInto('protected_branches')
    .values({
      project_id: projectId,
      name,
      allow_force_push: rules.allow_force_push,
      code_owner_approval_required: rules.code_owner_approval_required ?? false,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) return;
  const granted = (kind: 'push' | 'merge', grants: BranchProtection['allowed_to_push']) =>
    grants.map(({ access_level: level }) => ({ protected_branch_id: row.id, kind, level }));
  const levels = [...granted('push', rules.allowed_to_push), ...granted('merge', rules.allowed_to_merge)];
  await db.insertInto('protected_branch_levels').values(levels).execute();
}
