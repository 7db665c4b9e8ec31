/** A removal that is under way while something else needs the row. */
import { sql } from 'kysely';
import type { TestApp } from './app.ts';
import { eventually } from './ci.ts';

/** Removes a row, and before that is committed starts `work`; commits once it waits for the row. Gives what became of it. */
export async function whileRemoved<T>(
  { db }: Pick<TestApp, 'db'>,
  table: 'epics' | 'issues' | 'milestones',
  id: number,
  work: () => Promise<T>,
): Promise<T> {
  const tx = await db.startTransaction().execute();
  await sql`delete from ${sql.table(table)} where id = ${id}`.execute(tx);
  const done = work();
  // A failure is seen by whoever awaits it.
  done.catch(() => undefined);
  await eventually('the wait for the row', async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`.execute(db);
    return rows.length > 0;
  });
  await tx.commit().execute();
  return await done;
}
