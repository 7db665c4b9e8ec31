/** Labels and milestones of a project or group as archives hold them. */
import { sql } from 'kysely';
import type { Db } from '../../kernel/db/index.ts';
import { nextIid, raiseCounter, raiseGroupCounter } from '../namespaces/index.ts';

type Maybe<T> = T | null | undefined;

export interface LabelLine {
  readonly title: string;
  readonly description?: Maybe<string>;
  readonly color: string;
  readonly archived: boolean;
  readonly priority?: Maybe<number>;
  /** One of a group above that the project uses. */
  readonly of_group?: Maybe<boolean>;
  readonly created_at: Date;
}

/** The project's own labels, and those of groups above that it ranks or that its issues, merge requests and boards have. */
export async function labelsOf(db: Db, projectId: number): Promise<LabelLine[]> {
  return await db
    .selectFrom('labels as l')
    .leftJoin('label_priorities as r', (join) =>
      join.onRef('r.label_id', '=', 'l.id').on('r.project_id', '=', projectId),
    )
    .select(['l.title', 'l.description', 'l.color', 'l.archived', 'r.priority', 'l.created_at'])
    .select(sql<boolean>`l.project_id is null`.as('of_group'))
    .where(
      sql<boolean>`(l.project_id = ${projectId} or r.priority is not null or l.namespace_id is not null and exists (
        select from merge_request_labels k join merge_requests m on m.id = k.merge_request_id
        where k.label_id = l.id and m.project_id = ${projectId})
        or l.namespace_id is not null and exists (
        select from issue_labels k join issues i on i.id = k.issue_id
        where k.label_id = l.id and i.project_id = ${projectId})
        or l.namespace_id is not null and exists (
        select from boards b where b.project_id = ${projectId}
          and (exists (select from board_labels k where k.board_id = b.id and k.label_id = l.id)
            or exists (select from board_lists k where k.board_id = b.id and k.label_id = l.id))))`,
    )
    .orderBy('of_group')
    .orderBy('l.id')
    .execute();
}

/** The id of that of the title of a group above the project, the nearest one; null where there is none. */
async function ofGroupAbove(
  tx: Db,
  table: 'labels' | 'milestones',
  projectId: number,
  title: string,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`select t.id from ${sql.table(table)} t
    join namespaces g on g.id = t.namespace_id
    where t.title = ${title} and t.namespace_id = any((select n.traversal_ids from namespaces n
      join projects p on p.namespace_id = n.id where p.id = ${projectId})::bigint[])
    order by cardinality(g.traversal_ids) desc limit 1`.execute(tx);
  return rows[0]?.id ?? null;
}

/** The rank of a label in a project; that of a label of a group may be there from an attempt before. */
async function rank(tx: Db, projectId: number, labelId: number, priority: Maybe<number>): Promise<void> {
  if (priority === null || priority === undefined) return;
  await tx
    .insertInto('label_priorities')
    .values({ label_id: labelId, project_id: projectId, priority })
    .onConflict((known) => known.columns(['project_id', 'label_id']).doUpdateSet({ priority }))
    .execute();
}

export async function insertLabel(
  tx: Db,
  projectId: number,
  { priority, of_group, ...row }: LabelLine,
): Promise<string | null> {
  const above = of_group ? await ofGroupAbove(tx, 'labels', projectId, row.title) : null;
  if (above !== null) {
    await rank(tx, projectId, above, priority);
    return null;
  }
  const made = await tx
    .insertInto('labels')
    .values({ ...row, description: row.description ?? null, project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return 'is there already';
  await rank(tx, projectId, made.id, priority);
  return null;
}

export interface MilestoneLine {
  /** Null for one of a group above that the project uses. */
  readonly iid?: Maybe<number>;
  readonly title: string;
  readonly description?: Maybe<string>;
  readonly state: 'active' | 'closed';
  readonly start_date?: Maybe<string>;
  readonly due_date?: Maybe<string>;
  readonly created_at: Date;
  readonly updated_at?: Maybe<Date>;
}

/** The project's own milestones, and those of groups above that its issues, merge requests, boards and releases have. */
export async function milestonesOf(db: Db, projectId: number): Promise<MilestoneLine[]> {
  const { rows } = await sql<MilestoneLine>`
    select case when s.project_id is null then null else s.iid end as iid, s.title, s.description, s.state,
      s.start_date, s.due_date, s.created_at, s.updated_at
    from milestones s
    where s.project_id = ${projectId} or s.namespace_id is not null
      and (exists (select from merge_requests m where m.milestone_id = s.id and m.project_id = ${projectId})
        or exists (select from issues i where i.milestone_id = s.id and i.project_id = ${projectId})
        or exists (select from boards b left join board_lists k on k.board_id = b.id
          where b.project_id = ${projectId} and s.id in (b.milestone_id, k.milestone_id))
        or exists (select from release_milestones k join releases r on r.id = k.release_id
          where k.milestone_id = s.id and r.project_id = ${projectId}))
    order by s.project_id is null, s.id`.execute(db);
  return rows;
}

export async function insertMilestone(tx: Db, projectId: number, row: MilestoneLine): Promise<string | null> {
  if (row.start_date && row.due_date && row.due_date <= row.start_date) return 'ends before it begins';
  const ofGroup = row.iid === null || row.iid === undefined;
  if ((await ofGroupAbove(tx, 'milestones', projectId, row.title)) !== null)
    return ofGroup ? null : 'is one of a group above';
  const made = await tx
    .insertInto('milestones')
    .values({
      ...row,
      iid: row.iid ?? (await nextIid(tx, projectId, 'milestone')),
      description: row.description ?? null,
      start_date: row.start_date ?? null,
      due_date: row.due_date ?? null,
      updated_at: row.updated_at ?? row.created_at,
      project_id: projectId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('iid')
    .executeTakeFirst();
  if (!made) return 'is there already';
  await raiseCounter(tx, projectId, 'milestone', made.iid);
  return null;
}

/** The group's own labels. */
export async function groupLabelsOf(db: Db, groupId: number): Promise<LabelLine[]> {
  return await db
    .selectFrom('labels')
    .select(['title', 'description', 'color', 'archived', 'created_at'])
    .where('namespace_id', '=', groupId)
    .orderBy('id')
    .execute();
}

export async function insertGroupLabel(tx: Db, groupId: number, row: LabelLine): Promise<string | null> {
  const made = await tx
    .insertInto('labels')
    .values({ ...row, description: row.description ?? null, namespace_id: groupId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made ? null : 'is there already';
}

/** The group's own milestones. */
export async function groupMilestonesOf(db: Db, groupId: number): Promise<MilestoneLine[]> {
  return await db
    .selectFrom('milestones')
    .select(['iid', 'title', 'description', 'state', 'start_date', 'due_date', 'created_at', 'updated_at'])
    .where('namespace_id', '=', groupId)
    .orderBy('iid')
    .execute();
}

export async function insertGroupMilestone(
  tx: Db,
  groupId: number,
  row: MilestoneLine & { readonly iid: number },
): Promise<string | null> {
  if (row.start_date && row.due_date && row.due_date <= row.start_date) return 'ends before it begins';
  const made = await tx
    .insertInto('milestones')
    .values({
      ...row,
      description: row.description ?? null,
      start_date: row.start_date ?? null,
      due_date: row.due_date ?? null,
      updated_at: row.updated_at ?? row.created_at,
      namespace_id: groupId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('iid')
    .executeTakeFirst();
  if (!made) return 'is there already';
  await raiseGroupCounter(tx, groupId, 'milestone', made.iid);
  return null;
}
