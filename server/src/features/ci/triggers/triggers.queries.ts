/** Rows of `pipeline_triggers`. Tokens are found by their hash and shown from their sealed text. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { PipelineTrigger, User } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { usersById } from '../jobs/jobs.queries.ts';

export interface OwnedTrigger {
  readonly trigger: PipelineTrigger;
  readonly owner: User | null;
}

/** Adds the owners: one read for all. */
export async function withOwners(db: Db, triggers: readonly PipelineTrigger[]): Promise<OwnedTrigger[]> {
  const owners = await usersById(
    db,
    triggers.map(({ owner_id }) => ({ user_id: owner_id })),
  );
  return triggers.map((trigger) => ({
    trigger,
    owner: trigger.owner_id === null ? null : (owners.get(trigger.owner_id) ?? null),
  }));
}

export async function listTriggers(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: OwnedTrigger[]; total: number }> {
  const query = db.selectFrom('pipeline_triggers').where('project_id', '=', projectId);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows: await withOwners(db, rows), total };
}

export async function findTrigger(db: Db, projectId: number, id: number): Promise<PipelineTrigger | undefined> {
  return await db
    .selectFrom('pipeline_triggers')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function findTriggerById(db: Db, id: number): Promise<PipelineTrigger | undefined> {
  return await db.selectFrom('pipeline_triggers').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findTriggerByToken(db: Db, tokenSha256: Buffer): Promise<PipelineTrigger | undefined> {
  return await db
    .selectFrom('pipeline_triggers')
    .selectAll()
    .where('token_sha256', '=', tokenSha256)
    .executeTakeFirst();
}

export interface NewTrigger {
  readonly project_id: number;
  readonly owner_id: number | null;
  readonly description: string;
  readonly token_sha256: Buffer;
  readonly token_sealed: Buffer;
}

export async function insertTrigger(tx: Db, trigger: NewTrigger): Promise<PipelineTrigger> {
  return await tx.insertInto('pipeline_triggers').values(trigger).returningAll().executeTakeFirstOrThrow();
}

export async function describeTrigger(tx: Db, id: number, description: string): Promise<PipelineTrigger | undefined> {
  return await tx
    .updateTable('pipeline_triggers')
    .set({ description, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Whether it was there: of several requests one deletes it. */
export async function deleteTrigger(tx: Db, id: number): Promise<boolean> {
  const result = await tx.deleteFrom('pipeline_triggers').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Notes a use. */
export async function touchTrigger(db: Db, id: number): Promise<void> {
  await db.updateTable('pipeline_triggers').set({ last_used_at: sql<Date>`now()` }).where('id', '=', id).execute();
}
