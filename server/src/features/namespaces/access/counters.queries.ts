/** Numbers per project or group that users see: issues, merge requests, pipelines, milestones. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** The next number of a project's counter, from 1. Concurrent callers wait for each other's transaction. */
export const nextIid = (tx: Db, projectId: number, kind: string): Promise<number> => takeIids(tx, projectId, kind, 1);

/** The same for several numbers in a row: answers the first. */
export async function takeIids(tx: Db, projectId: number, kind: string, count: number): Promise<number> {
  const row = await tx
    .insertInto('project_counters')
    .values({ project_id: projectId, kind, value: count })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'kind']).doUpdateSet({ value: sql`project_counters.value + excluded.value` }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value - count + 1;
}

/**
 * The same as text, for a statement that uses what it takes: answers `value`, the last of the numbers. The arguments are
 * placeholders.
 */
export const takingIids = (projectId: string, kind: string, count: string): string =>
  `insert into project_counters (project_id, kind, value) values (${projectId}, ${kind}, ${count})
    on conflict (project_id, kind) do update set value = project_counters.value + excluded.value returning value`;

/** The next numbers are after this one. */
export async function raiseCounter(tx: Db, projectId: number, kind: string, value: number): Promise<void> {
  await sql`insert into project_counters (project_id, kind, value) values (${projectId}, ${kind}, ${value})
    on conflict (project_id, kind) do update set value = greatest(project_counters.value, excluded.value)`.execute(tx);
}

/** Gives numbers back that were reserved and not used: the next one is after `value`. */
export async function lowerCounter(tx: Db, projectId: number, kind: string, value: number): Promise<void> {
  await sql`update project_counters set value = ${value}
    where project_id = ${projectId} and kind = ${kind} and value > ${value}`.execute(tx);
}

/** The same for a group's counter. */
export async function nextGroupIid(tx: Db, namespaceId: number, kind: string): Promise<number> {
  const row = await tx
    .insertInto('namespace_counters')
    .values({ namespace_id: namespaceId, kind, value: 1 })
    .onConflict((conflict) =>
      conflict.columns(['namespace_id', 'kind']).doUpdateSet({ value: sql`namespace_counters.value + 1` }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
}

/** The next numbers of a group are after this one. */
export async function raiseGroupCounter(tx: Db, namespaceId: number, kind: string, value: number): Promise<void> {
  await sql`insert into namespace_counters (namespace_id, kind, value) values (${namespaceId}, ${kind}, ${value})
    on conflict (namespace_id, kind) do update set value = greatest(namespace_counters.value, excluded.value)`.execute(
    tx,
  );
}
