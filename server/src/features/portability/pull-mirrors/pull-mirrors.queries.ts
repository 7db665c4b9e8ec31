/** Rows of `pull_mirrors`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { PullMirror } from '../../../kernel/db/rows.ts';
import type { PullMirrorsTable } from '../../../kernel/db/tables.ts';
import { isFreeFor, untaken } from '../mirrors/runs.queries.ts';

const of = (db: Db, projectId: number) => db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', projectId);

export const findMirror = (db: Db, projectId: number): Promise<PullMirror | undefined> =>
  of(db, projectId).executeTakeFirst();

/** Held until the end of the transaction; also where there is none yet. */
export async function lockMirror(tx: Db, projectId: number): Promise<PullMirror | undefined> {
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
  return await of(tx, projectId).forUpdate().executeTakeFirst();
}

export const insertMirror = (tx: Db, values: Insertable<PullMirrorsTable>): Promise<PullMirror> =>
  tx.insertInto('pull_mirrors').values(values).returningAll().executeTakeFirstOrThrow();

export const updateMirror = (tx: Db, id: number, values: Updateable<PullMirrorsTable>): Promise<PullMirror> =>
  tx
    .updateTable('pull_mirrors')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Says with the project that it follows another repository, and which, where that is given. */
export async function setMirror(tx: Db, projectId: number, mirror: boolean, url: string | null): Promise<void> {
  await tx
    .updateTable('projects')
    .set({ mirror, ...(url === null ? {} : { import_url: url }) })
    .where('id', '=', projectId)
    .where((row) =>
      row.or([
        row('mirror', '<>', mirror),
        ...(url === null ? [] : [sql<boolean>`import_url is distinct from ${url}`]),
      ]),
    )
    .execute();
}

/** Hours after which an update that waits, but that nobody began, is due again: its project may have been archived meanwhile. */
const waitingHours = 2;

/** An update waits. One that runs says so itself. */
export async function markScheduled(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .updateTable('pull_mirrors')
    .set({ update_status: 'scheduled', next_update_at: sql`now() + make_interval(hours => ${waitingHours}::int)` })
    .where('id', 'in', ids)
    .where('update_status', '<>', 'started')
    .execute();
}

/** Mirrors that wait to be updated or are being updated. What nobody ended for hours is nobody's. */
export async function underWay(db: Db, hours: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pull_mirrors
    where enabled and update_status in ('scheduled', 'started')
      and (update_status = 'scheduled' or last_update_started_at >= now() - make_interval(hours => ${hours}::int))`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Ids of mirrors whose time has come, the longest due first. Those that nobody ended for hours are due again; projects
 * that are archived, about to be deleted or being imported are not mirrored.
 */
export async function dueMirrors(tx: Db, most: number, hours: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id from pull_mirrors m
    where m.enabled and (m.next_update_at <= now()
        or (m.update_status = 'started' and m.last_update_started_at < now() - make_interval(hours => ${hours}::int)))
      and exists (select from projects p where p.id = m.project_id and p.marked_for_deletion_on is null and not p.archived
        and p.import_status not in ('scheduled', 'started'))
    order by m.next_update_at nulls first, m.id
    limit ${most} for update of m skip locked`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Takes the mirror for a job: null where it is gone or switched off, `busy` where another job updates it. */
export async function beginPull(db: Db, id: number, job: string, hours: number): Promise<PullMirror | 'busy' | null> {
  const mirror = await db
    .updateTable('pull_mirrors')
    .set({ update_status: 'started', run_job: job, last_update_started_at: sql`now()`, next_update_at: null })
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where(isFreeFor(job, hours))
    .where(
      sql<boolean>`exists (select from projects p where p.id = project_id
        and p.marked_for_deletion_on is null and not p.archived)`,
    )
    .returningAll()
    .executeTakeFirst();
  return mirror ?? (await untaken(db, 'pull_mirrors', id));
}

/**
 * Writes down what became of a job's update; nothing where somebody changed or took the mirror meanwhile. `nextIn` is in
 * milliseconds.
 */
export async function endPull(
  db: Db,
  id: number,
  job: string,
  end: { readonly error: string | null; readonly nextIn: number | null },
): Promise<boolean> {
  const { error, nextIn } = end;
  const next = nextIn === null ? null : sql<Date>`now() + make_interval(secs => ${nextIn / 1000}::double precision)`;
  const row = await db
    .updateTable('pull_mirrors')
    .set({
      update_status: error === null ? 'finished' : 'failed',
      run_job: null,
      last_error: error,
      last_update_at: sql`now()`,
      next_update_at: next,
      failures: error === null ? 0 : sql<number>`failures + 1`,
      ...(error === null ? { last_successful_update_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', id)
    .where('run_job', '=', job)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
