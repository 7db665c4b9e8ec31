/** Rows of `job_sessions` (where a runner accepts terminals) and `job_terminals` (who opened one). */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { JobSessionsTable, JobTerminalsTable } from '../../../kernel/db/tables.ts';

export type JobSession = Selectable<JobSessionsTable>;
export type JobTerminal = Selectable<JobTerminalsTable>;

/** Where a runner accepts terminals, as it is stored. */
export interface SealedSession {
  readonly url: string;
  readonly certificate: string | null;
  readonly authorization: Buffer | null;
}

/** For a statement that gives a job of `taken` to a runner: in the place of the address of an earlier hand-out. */
export const keepingSession = ({ url, certificate, authorization }: SealedSession): RawBuilder<unknown> => sql`
  insert into job_sessions (job_id, url, certificate, authorization_sealed)
  select id, ${url}::text, ${certificate}::text, ${authorization}::bytea from taken
  on conflict (job_id) do update set url = excluded.url, certificate = excluded.certificate,
    authorization_sealed = excluded.authorization_sealed`;

export async function deleteSession(tx: Db, jobId: number): Promise<void> {
  await tx.deleteFrom('job_sessions').where('job_id', '=', jobId).execute();
}

export async function sessionOf(db: Db, jobId: number): Promise<JobSession | undefined> {
  return await db.selectFrom('job_sessions').selectAll().where('job_id', '=', jobId).executeTakeFirst();
}

/** An open terminal whose process has said nothing for longer is over. */
const silentSeconds = 90;

/** Terminals that are open, or whose ticket is still good: of the job, and of the user in all jobs. */
export async function openTerminals(db: Db, jobId: number, userId: number): Promise<{ job: number; user: number }> {
  const counts = await db
    .selectFrom('job_terminals')
    .select([
      sql<number>`count(*) filter (where job_id = ${jobId})::integer`.as('job'),
      sql<number>`count(*) filter (where user_id = ${userId})::integer`.as('user'),
    ])
    .where((where) => where.or([where('job_id', '=', jobId), where('user_id', '=', userId)]))
    .where('closed_at', 'is', null)
    .where(
      sql<boolean>`case when opened_at is null then expires_at > now()
        else seen_at > now() - make_interval(secs => ${silentSeconds}) end`,
    )
    .executeTakeFirstOrThrow();
  return counts;
}

export async function insertTerminal(
  tx: Db,
  terminal: { jobId: number; userId: number; ticketSha256: Buffer; seconds: number },
): Promise<JobTerminal> {
  return await tx
    .insertInto('job_terminals')
    .values({
      job_id: terminal.jobId,
      user_id: terminal.userId,
      ticket_sha256: terminal.ticketSha256,
      expires_at: sql<Date>`now() + make_interval(secs => ${terminal.seconds})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Uses a ticket: once, and only while it is good. */
export async function useTicket(db: Db, ticketSha256: Buffer): Promise<JobTerminal | undefined> {
  return await db
    .updateTable('job_terminals')
    .set({ opened_at: sql<Date>`now()`, seen_at: sql<Date>`now()` })
    .where('ticket_sha256', '=', ticketSha256)
    .where('opened_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst();
}

export async function touchTerminal(db: Db, id: number): Promise<void> {
  await db.updateTable('job_terminals').set({ seen_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

export async function closeTerminal(db: Db, id: number): Promise<void> {
  await db
    .updateTable('job_terminals')
    .set({ closed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .execute();
}

/** Audit events tell of them for longer. */
export async function deleteOldTerminals(db: Db): Promise<void> {
  await db.deleteFrom('job_terminals').where('expires_at', '<', sql<Date>`now() - interval '7 days'`).execute();
}
