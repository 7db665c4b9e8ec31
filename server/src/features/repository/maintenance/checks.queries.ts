/** Rows of `repository_checks`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Projects with a repository that was not checked for a month, or never since it was made a day ago; the longest ago first. */
export async function checksDue(db: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    (select c.project_id as id from repository_checks c
      where c.checked_at < now() - interval '1 month' order by c.checked_at, c.project_id limit ${limit})
    union all
    (select p.id from projects p where p.refs_generation > 0 and p.created_at < now() - interval '1 day'
      and not exists (select from repository_checks c where c.project_id = p.id) order by p.id limit ${limit})
    limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Nothing where the project was removed meanwhile. */
export async function recordCheck(db: Db, projectId: number, problems: readonly string[]): Promise<void> {
  await sql`insert into repository_checks (project_id, checked_at, problems)
    select id, now(), ${[...problems]}::text[] from projects where id = ${projectId}
    on conflict (project_id) do update set checked_at = excluded.checked_at, problems = excluded.problems, told_at = null`.execute(
    db,
  );
}

export interface FailedCheck {
  readonly project_id: number;
  readonly path: string;
  readonly problem: string;
  readonly checked_at: Date;
}

/** Repositories that are damaged, by their paths; of the untold ones alone those that nobody was told of. */
export async function failedChecks(db: Db, limit: number, untold = false): Promise<readonly FailedCheck[]> {
  const { rows } = await sql<FailedCheck>`
    select c.project_id, n.full_path || '/' || p.path as path, c.problems[1] as problem, c.checked_at
      from repository_checks c join projects p on p.id = c.project_id join namespaces n on n.id = p.namespace_id
      where cardinality(c.problems) > 0 and (not ${untold} or c.told_at is null) order by 2 limit ${limit}`.execute(db);
  return rows;
}

/** Nobody is told of these again. */
export async function noteTold(tx: Db, projectIds: readonly number[]): Promise<void> {
  await sql`update repository_checks set told_at = now() where project_id = any(${[...projectIds]}::bigint[])`.execute(
    tx,
  );
}

/** How many repositories were checked, and how many of them are damaged. */
export async function countChecks(db: Db): Promise<{ readonly checked: number; readonly failed: number }> {
  const { rows } = await sql<{ checked: number; failed: number }>`
    select count(*) as checked, count(*) filter (where cardinality(problems) > 0) as failed from repository_checks`.execute(
    db,
  );
  return rows[0] ?? { checked: 0, failed: 0 };
}
