/** Rows of `push_mirrors`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Project, PushMirror } from '../../../kernel/db/rows.ts';
import type { PushMirrorsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { isFreeFor, untaken } from '../mirrors/runs.queries.ts';

const of = (db: Db, projectId: number) => db.selectFrom('push_mirrors').selectAll().where('project_id', '=', projectId);

export async function listMirrors(
  db: Db,
  projectId: number,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: PushMirror[]; total: number }> {
  const [rows, total] = await Promise.all([
    of(db, projectId).orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, db.selectFrom('push_mirrors').select('id').where('project_id', '=', projectId)),
  ]);
  return { rows, total };
}

export const findMirror = (db: Db, projectId: number, id: number): Promise<PushMirror | undefined> =>
  of(db, projectId).where('id', '=', id).executeTakeFirst();

/** Held until the end of the transaction. */
export const lockMirror = (tx: Db, projectId: number, id: number): Promise<PushMirror | undefined> =>
  of(tx, projectId).where('id', '=', id).forUpdate().executeTakeFirst();

/** Waits for others that add mirrors to the project or switch them on, and counts those that are on. */
export async function countEnabled(tx: Db, projectId: number): Promise<number> {
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
  return (await enabledMirrors(tx, projectId)).length;
}

export const insertMirror = (tx: Db, values: Insertable<PushMirrorsTable>): Promise<PushMirror> =>
  tx.insertInto('push_mirrors').values(values).returningAll().executeTakeFirstOrThrow();

export const updateMirror = (tx: Db, id: number, values: Updateable<PushMirrorsTable>): Promise<PushMirror> =>
  tx
    .updateTable('push_mirrors')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export async function deleteMirror(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('push_mirrors').where('id', '=', id).execute();
}

/** What of a project is to be pushed after a change, and when it was pushed last. */
export const enabledMirrors = (
  db: Db,
  projectId: number,
): Promise<Pick<PushMirror, 'id' | 'last_update_started_at'>[]> =>
  db
    .selectFrom('push_mirrors')
    .select(['id', 'last_update_started_at'])
    .where('project_id', '=', projectId)
    .where('enabled', '=', true)
    .execute();

/** A push waits. One that runs says so itself. */
export async function markScheduled(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .updateTable('push_mirrors')
    .set({ update_status: 'scheduled' })
    .where('id', 'in', ids)
    .where('update_status', '<>', 'started')
    .execute();
}

/** Takes the mirror for a job: null where it is gone or switched off, `busy` where another job pushes. */
export async function beginPush(
  db: Db,
  id: number,
  job: string,
  hours: number,
): Promise<{ readonly mirror: PushMirror; readonly project: Project } | 'busy' | null> {
  const mirror = await db
    .updateTable('push_mirrors')
    .set({ update_status: 'started', run_job: job, last_update_started_at: sql`now()` })
    .where('id', '=', id)
    .where('enabled', '=', true)
    .where(isFreeFor(job, hours))
    .where(sql<boolean>`exists (select from projects p where p.id = project_id and p.marked_for_deletion_on is null)`)
    .returningAll()
    .executeTakeFirst();
  if (!mirror) return await untaken(db, 'push_mirrors', id);
  const project = await db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', mirror.project_id)
    .executeTakeFirstOrThrow();
  return { mirror, project };
}

/**
 * Writes down what became of a job's push; nothing where somebody changed or took the mirror meanwhile. True for the
 * first failure since it last worked.
 */
export async function endPush(
  db: Db,
  id: number,
  job: string,
  end: { readonly status: 'finished' | 'failed' | 'to_retry'; readonly error: string | null },
): Promise<boolean> {
  const { status, error } = end;
  const row = await db
    .updateTable('push_mirrors')
    .set({
      update_status: status,
      run_job: null,
      last_error: error,
      ...(status === 'finished' || status === 'failed' ? { last_update_at: sql<Date>`now()` } : {}),
      ...(status === 'finished' ? { last_successful_update_at: sql<Date>`now()`, failure_told: false } : {}),
      ...(status === 'failed' ? { failure_told: true } : {}),
    })
    .from((before) =>
      before.selectFrom('push_mirrors as m').selectAll().where('m.id', '=', id).forUpdate().as('before'),
    )
    .whereRef('push_mirrors.id', '=', 'before.id')
    .where('push_mirrors.run_job', '=', job)
    .returning('before.failure_told as told')
    .executeTakeFirst();
  return status === 'failed' && row?.told === false;
}

export async function pathOf(db: Db, { path, namespace_id }: Pick<Project, 'path' | 'namespace_id'>): Promise<string> {
  const { full_path } = await db
    .selectFrom('namespaces')
    .select('full_path')
    .where('id', '=', namespace_id)
    .executeTakeFirstOrThrow();
  return `${full_path}/${path}`;
}
