/** Changes of state: history and to-dos in one statement. */
import { sql } from 'kysely';
import type { Db } from '../../kernel/db/index.ts';
import type { ResourceEvent } from '../../kernel/db/rows.ts';
import type { Noteable } from './notes/index.ts';
import { announce } from './todos/todos.queries.ts';

/** Records a new state, and that whoever brought it about has done what they had to do about the thing. */
export async function recordStateBy(
  tx: Db,
  { type, id }: Pick<Noteable, 'type' | 'id'>,
  userId: number,
  state: NonNullable<ResourceEvent['state']>,
): Promise<void> {
  const marked = await sql`
    with recorded as (
      insert into resource_events (kind, state, noteable_type, noteable_id, user_id)
      values ('state', ${state}, ${type}, ${id}, ${userId}))
    update todos set state = 'done', updated_at = now()
    where user_id = ${userId} and noteable_type = ${type} and noteable_id = ${id} and state = 'pending'`.execute(tx);
  if (marked.numAffectedRows) await announce(tx, [userId]);
}
