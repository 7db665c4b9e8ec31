/** Updates of mirrors, of either kind, as the rows of their tables tell of them. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

type MirrorTable = 'push_mirrors' | 'pull_mirrors';

/**
 * Whether a job may take the mirror: nobody else updates it. A job that was cut off goes on with its own; what nobody ended
 * for hours is nobody's.
 */
export const isFreeFor = (job: string, hours: number): RawBuilder<boolean> =>
  sql<boolean>`(update_status <> 'started' or run_job = ${job}
    or last_update_started_at < now() - make_interval(hours => ${hours}::int))`;

/** What a mirror is that a job could not take: `busy` where another updates it, null where it is gone or switched off. */
export async function untaken(db: Db, table: MirrorTable, id: number): Promise<'busy' | null> {
  const { rows } = await sql`select from ${sql.table(table)}
    where id = ${id} and enabled and update_status = 'started'`.execute(db);
  return rows.length > 0 ? 'busy' : null;
}

/** Keeps the key that a server showed first. */
export async function rememberHostKey(db: Db, table: MirrorTable, id: number, hostKey: string): Promise<void> {
  await sql`update ${sql.table(table)} set host_keys = ${[hostKey]}::text[]
    where id = ${id} and host_keys = '{}'`.execute(db);
}
