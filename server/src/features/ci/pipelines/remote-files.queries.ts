/** Remote files of configurations that are kept for a time (`include:cache`), each for the project that asked for it. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

interface Place {
  readonly projectId: number;
  /** The whole address: what is secret in it is not stored. */
  readonly address: string;
}

/** Files that are kept for one project: as many as a configuration may include. */
const mostFiles = 150;
/** Nothing is kept longer, whatever a configuration says. Seconds. */
const longest = 30 * 24 * 3600;

const digest = (address: string): Buffer => createHash('sha256').update(address).digest();

/** The file as it was fetched no more than `seconds` ago; null when it has to be fetched. */
export async function keptRemoteFile(db: Db, { projectId, address }: Place, seconds: number): Promise<Buffer | null> {
  const row = await db
    .selectFrom('ci_remote_files')
    .select('content')
    .where('project_id', '=', projectId)
    .where('address_digest', '=', digest(address))
    .where('expires_at', '>', sql<Date>`now()`)
    .where('fetched_at', '>', sql<Date>`now() - make_interval(secs => ${Math.min(seconds, longest)})`)
    .executeTakeFirst();
  return row?.content ?? null;
}

/** Keeps a file for a time. The oldest ones of the project make place. */
export async function keepRemoteFile(
  db: Db,
  { projectId, address }: Place,
  content: Buffer,
  seconds: number,
): Promise<void> {
  await sql`insert into ci_remote_files (project_id, address_digest, content, fetched_at, expires_at)
    values (${projectId}, ${digest(address)}, ${content}, now(),
      now() + make_interval(secs => ${Math.min(seconds, longest)}))
    on conflict (project_id, address_digest) do update set
      content = excluded.content, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at`.execute(db);
  await sql`delete from ci_remote_files where project_id = ${projectId} and address_digest in (
    select address_digest from ci_remote_files where project_id = ${projectId}
    order by fetched_at desc offset ${mostFiles})`.execute(db);
}

/** Removes some whose time is over; how many. */
export async function deleteExpiredRemoteFiles(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from ci_remote_files where (project_id, address_digest) in (
    select project_id, address_digest from ci_remote_files where expires_at <= now() limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
