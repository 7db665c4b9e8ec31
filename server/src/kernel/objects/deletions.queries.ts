/** The queue of objects that are to be removed, as far as the store puts into it. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

/** Has an object removed later, where a backup is being made; whether it will be. */
export async function deferDeletion(db: Db, key: string): Promise<boolean> {
  const { rows } = await sql<{ running: boolean }>`
    with running as (select from backups where state = 'running' limit 1),
    deferred as (insert into object_deletions (object_key) select ${key} from running on conflict do nothing)
    select exists (select from running) as running`.execute(db);
  return rows[0]?.running === true;
}
