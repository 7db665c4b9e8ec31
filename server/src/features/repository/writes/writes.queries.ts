/** Intents, generations and protections: what the write path keeps in the database. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Protection, RefChange } from './protection.ts';

export interface OpenIntent {
  readonly id: number;
  readonly kind: string;
  readonly quarantine: string | null;
  readonly actorId: number | null;
  readonly changes: readonly RefChange[];
  readonly details: IntentDetails;
}

/** What the facts of a write need besides its ref changes; kept so that a repair can still tell them. */
export interface IntentDetails {
  readonly via: 'push' | 'api' | 'merge';
  readonly pushOptions: readonly string[];
}

export async function insertIntent(
  db: Db,
  intent: {
    projectId: number;
    kind: string;
    actorId: number | null;
    quarantine: string | null;
    changes: readonly RefChange[];
    details: IntentDetails;
  },
): Promise<number> {
  const row = await db
    .insertInto('repository_intents')
    .values({
      project_id: intent.projectId,
      kind: intent.kind,
      actor_id: intent.actorId,
      quarantine: intent.quarantine,
      changes: JSON.stringify(intent.changes),
      facts: JSON.stringify(intent.details),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function settleIntent(db: Db, id: number, state: 'applied' | 'abandoned'): Promise<void> {
  await db.updateTable('repository_intents').set({ state, settled_at: new Date() }).where('id', '=', id).execute();
}

export async function openIntents(db: Db, projectId: number): Promise<OpenIntent[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .select(['id', 'kind', 'quarantine', 'actor_id', 'changes', 'facts'])
    .where('project_id', '=', projectId)
    .where('state', '=', 'open')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    quarantine: row.quarantine,
    actorId: row.actor_id,
    changes: row.changes as unknown as RefChange[],
    details: row.facts as unknown as IntentDetails,
  }));
}

/** Projects with an intent that has been open for longer than `seconds`: their writer is gone or very slow. */
export async function projectsWithOldIntents(db: Db, seconds: number): Promise<number[]> {
  const rows = await db
    .selectFrom('repository_intents')
    .select('project_id')
    .distinct()
    .where('state', '=', 'open')
    .where('created_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute();
  return rows.map((row) => row.project_id);
}

/** Bumps the generation of the project's refs; every cache of refs is keyed by it. */
export async function bumpGeneration(db: Db, projectId: number): Promise<number> {
  const row = await db
    .updateTable('projects')
    .set({ refs_generation: sql`refs_generation + 1`, last_activity_at: sql`now()` })
    .where('id', '=', projectId)
    .returning('refs_generation')
    .executeTakeFirstOrThrow();
  return row.refs_generation;
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

/** All branch protections of a project. */
export async function protections(db: Db, projectId: number): Promise<Protection[]> {
  const rows = await db
    .selectFrom('protected_branches as b')
    .leftJoin('protected_branch_levels as l', 'l.protected_branch_id', 'b.id')
    .select([
      'b.id',
      'b.name',
      'b.allow_force_push',
      'b.code_owner_approval_required',
      'l.kind',
      'l.level',
      'l.user_id',
      'l.group_id',
    ])
    .where('b.project_id', '=', projectId)
    .orderBy('b.id')
    .execute();
  return [...Map.groupBy(rows, (row) => row.id).values()].map((group) => {
    const [first] = group as [(typeof rows)[number], ...typeof rows];
    const grants = (kind: string) =>
      group
        .filter((row) => row.kind === kind)
        .map((row) => ({ level: row.level, userId: row.user_id, groupId: row.group_id }));
    return {
      name: first.name,
      allowForcePush: first.allow_force_push,
      codeOwnerApprovalRequired: first.code_owner_approval_required,
      push: grants('push'),
      merge: grants('merge'),
    };
  });
}

/** Protects a branch with one level for pushing and one for merging; keeps a rule that exists. */
export async function protectBranch(
  db: Db,
  projectId: number,
  name: string,
  levels: { push: number; merge: number },
): Promise<void> {
  const row = await db
    .insertInto('protected_branches')
    .values({ project_id: projectId, name })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!row) return;
  await db
    .insertInto('protected_branch_levels')
    .values([
      { protected_branch_id: row.id, kind: 'push', level: levels.push },
      { protected_branch_id: row.id, kind: 'merge', level: levels.merge },
    ])
    .execute();
}

/** What the namespace's setting makes of a new default branch: levels for push and merge, null for no protection. */
export async function defaultProtection(db: Db, projectId: number): Promise<{ push: number; merge: number } | null> {
  const row = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select('n.default_branch_protection')
    .where('p.id', '=', projectId)
    .executeTakeFirstOrThrow();
  switch (row.default_branch_protection) {
    case 0:
      return null;
    case 1:
      return { push: 30, merge: 30 };
    case 3:
      return { push: 40, merge: 30 };
    default:
      return { push: 40, merge: 40 };
  }
}
