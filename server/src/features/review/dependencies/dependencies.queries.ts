/** Which merge requests wait for which others. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface Dependency {
  readonly id: number;
  readonly blocking_id: number;
  readonly blocked_id: number;
}

const columns = ['id', 'blocking_id', 'blocked_id'] as const;

/** Those in which a request is the blocked or the blocking one, in the order of their making. */
export async function dependenciesOf(
  db: Db,
  side: 'blocking_id' | 'blocked_id',
  requestId: number,
): Promise<Dependency[]> {
  return await db
    .selectFrom('merge_request_dependencies')
    .select(columns)
    .where(side, '=', requestId)
    .orderBy('id')
    .execute();
}

/** Undefined where there is the same already. */
export async function insertDependency(
  tx: Db,
  values: Pick<Dependency, 'blocking_id' | 'blocked_id'>,
): Promise<Dependency | undefined> {
  return await tx
    .insertInto('merge_request_dependencies')
    .values(values)
    .onConflict((conflict) => conflict.constraint('merge_request_dependencies_key').doNothing())
    .returning(columns)
    .executeTakeFirst();
}

/** Whether `id` waits for `other`, directly or through others. */
export async function waitsFor(tx: Db, id: number, other: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`with recursive waiting (id) as (
      select blocking_id from merge_request_dependencies where blocked_id = ${id}
      union select d.blocking_id from waiting w join merge_request_dependencies d on d.blocked_id = w.id)
    select exists (select from waiting where id = ${other}) as found`.execute(tx);
  return rows[0]?.found === true;
}

/** False where it is gone already. */
export async function deleteDependency(tx: Db, blockedId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('merge_request_dependencies')
    .where('id', '=', id)
    .where('blocked_id', '=', blockedId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
