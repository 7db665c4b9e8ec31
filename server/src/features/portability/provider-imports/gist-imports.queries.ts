/** Rows of `gist_imports`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export interface GistFailure {
  readonly title: string;
  readonly reason: string;
}

export interface GistImport {
  readonly config_sealed: Buffer;
  readonly done: readonly string[];
  readonly failures: readonly GistFailure[];
}

/** False where one runs; one that nobody ended in two days is dead. */
export async function beginGistImport(tx: Db, userId: number, sealed: Buffer): Promise<boolean> {
  const { rows } = await sql`insert into gist_imports as g (user_id, config_sealed) values (${userId}, ${sealed})
    on conflict (user_id) do update set config_sealed = excluded.config_sealed, done = '{}', failures = '[]',
      created_at = now() where g.created_at < now() - interval '2 days'
    returning user_id`.execute(tx);
  return rows.length > 0;
}

export async function findGistImport(db: Db, userId: number): Promise<GistImport | null> {
  const { rows } = await sql<GistImport>`select config_sealed, done, failures from gist_imports
    where user_id = ${userId}`.execute(db);
  return rows[0] ?? null;
}

export async function markGist(db: Db, userId: number, id: string, failure: GistFailure | null): Promise<void> {
  const more = JSON.stringify(failure ? [failure] : []);
  await sql`update gist_imports set done = array_append(done, ${id}::text), failures = failures || ${more}::jsonb
    where user_id = ${userId}`.execute(db);
}

export async function endGistImport(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom('gist_imports').where('user_id', '=', userId).execute();
}
