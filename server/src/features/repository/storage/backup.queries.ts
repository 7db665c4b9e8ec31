/** What the database said of repositories at one point, and which writes came after it. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { RefChange } from '../writes/protection.ts';
import type { Owner } from '../writes/writes.queries.ts';

/** Reads at a point that another connection keeps in view. */
export const atSnapshot = <T>(db: Db, name: string, work: (at: Db) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      await sql`set transaction snapshot ${sql.lit(name)}`.execute(tx);
      return await work(tx);
    });

/** Writes of a repository, oldest first. */
export async function writesOf(
  db: Db,
  owner: Owner,
  id: number,
): Promise<ReadonlyArray<{ readonly id: number; readonly changes: readonly RefChange[] }>> {
  const rows = await db
    .selectFrom('repository_intents')
    .select(['id', 'changes'])
    .where(owner, '=', id)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ id: row.id, changes: row.changes as unknown as RefChange[] }));
}

/** Repositories that the database knows. */
export async function countRepositories(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from projects) + (select count(*) from wikis) + (select count(*) from snippets) as count`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Whether a backup is being made: nothing that it may still read is removed meanwhile. */
export async function backupRuns(db: Db): Promise<boolean> {
  const row = await db.selectFrom('backups').select('id').where('state', '=', 'running').limit(1).executeTakeFirst();
  return row !== undefined;
}
