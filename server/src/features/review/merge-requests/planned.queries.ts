/** Labels and milestones of merge requests. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Label } from '../../../kernel/db/rows.ts';
import type { Replacement } from '../../collaboration/index.ts';

/** Labels by the id of their merge request, ordered by title. */
export async function labelsOf(db: Db, ids: readonly number[]): Promise<Map<number, Label[]>> {
  const found = new Map<number, Label[]>();
  if (ids.length === 0) return found;
  const rows = await db
    .selectFrom('merge_request_labels as k')
    .innerJoin('labels as l', 'l.id', 'k.label_id')
    .selectAll('l')
    .select('k.merge_request_id')
    .where('k.merge_request_id', 'in', [...ids])
    .orderBy('l.title')
    .orderBy('l.id')
    .execute();
  for (const { merge_request_id, ...label } of rows)
    found.set(merge_request_id, [...(found.get(merge_request_id) ?? []), label]);
  return found;
}

/** Gives a merge request these labels and no others; what was removed meanwhile is left out. */
export async function setLabels(tx: Db, id: number, labelIds: readonly number[]): Promise<void> {
  const wanted = [...labelIds];
  await sql`delete from merge_request_labels where merge_request_id = ${id} and label_id <> all(${wanted}::bigint[])`.execute(
    tx,
  );
  await sql`insert into merge_request_labels (merge_request_id, label_id)
    select ${id}, l.id from labels l where l.id = any(${wanted}::bigint[]) for key share
    on conflict do nothing`.execute(tx);
}

/** What has one of the labels has the other one instead. */
export async function replaceLabels(tx: Db, { from, to, projectId }: Replacement): Promise<void> {
  const of = sql`k.label_id = any(${[...from]}::bigint[]) and m.id = k.merge_request_id
    and (${projectId ?? null}::bigint is null or m.project_id = ${projectId ?? null})`;
  await sql`insert into merge_request_labels (merge_request_id, label_id)
    select distinct k.merge_request_id, ${to}::bigint from merge_request_labels k, merge_requests m where ${of}
    on conflict do nothing`.execute(tx);
  await sql`delete from merge_request_labels k using merge_requests m where ${of}`.execute(tx);
}

/** What was planned for one of the milestones is planned for the other one. */
export async function replaceMilestones(tx: Db, { from, to, projectId }: Replacement): Promise<void> {
  await sql`update merge_requests set milestone_id = ${to} where milestone_id = any(${[...from]}::bigint[])
    and (${projectId ?? null}::bigint is null or project_id = ${projectId ?? null})`.execute(tx);
}
