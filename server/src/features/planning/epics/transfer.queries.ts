/** Epics as archives of groups hold them, and what they have to do with each other. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Epic } from '../../../kernel/db/rows.ts';
import { awardsJson, historyJson, meantBy } from '../../collaboration/index.ts';
import { insertEntries, type NewEntry, timesJson } from '../../collaboration/time-tracking/index.ts';
import { raiseGroupCounter } from '../../namespaces/index.ts';
import { chainAbove, deepest, depthBelow, lockTree } from './epics.queries.ts';

type Maybe<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

export type EpicLine = Pick<
  Epic,
  | 'iid'
  | 'title'
  | 'state'
  | 'confidential'
  | 'color'
  | 'start_date_is_fixed'
  | 'due_date_is_fixed'
  | 'created_at'
  | 'updated_at'
> &
  Maybe<
    Pick<
      Epic,
      | 'description'
      | 'start_date_fixed'
      | 'due_date_fixed'
      | 'closed_at'
      | 'last_edited_at'
      | 'discussion_locked'
      | 'health_status'
      | 'time_estimate'
    >
  > & {
    /** Titles. */
    readonly labels: readonly string[];
  };

/** Whom the names of a line stand for. */
export interface EpicPeople {
  readonly author_id: number;
  readonly closed_by_id: number | null;
  readonly last_edited_by_id: number | null;
}

const batch = 200;

/** By number, in batches. */
export async function* epicLinesOf(db: Db, groupId: number): AsyncGenerator<object[]> {
  const person = (column: string) => sql`(select username from users where id = e.${sql.ref(column)})`;
  for (let after = 0; ; ) {
    const { rows } = await sql<{ iid: number }>`
      select e.iid, e.title, e.description, e.state, e.confidential, e.color, e.start_date_is_fixed, e.start_date_fixed,
        e.due_date_is_fixed, e.due_date_fixed, e.discussion_locked, e.health_status, e.time_estimate, e.closed_at, e.last_edited_at, e.created_at, e.updated_at,
        ${person('author_id')} as author, ${person('closed_by_id')} as closed_by,
        ${person('last_edited_by_id')} as last_edited_by,
        coalesce((select jsonb_agg(l.title order by l.title) from epic_labels k join labels l on l.id = k.label_id
          where k.epic_id = e.id), '[]') as labels,
        ${historyJson('epic', sql`e.id`)} as history,
        ${awardsJson({ type: 'epic', id: sql`e.id` })} as award_emoji, ${timesJson(sql`t.epic_id = e.id`)} as time_entries
      from epics e where e.namespace_id = ${groupId} and e.iid > ${after} order by e.iid limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.iid;
  }
}

/** Its id; undefined where the number is taken. */
export async function insertArchivedEpic(
  tx: Db,
  groupId: number,
  { labels, ...line }: EpicLine,
  people: EpicPeople,
  times: readonly NewEntry[],
): Promise<number | undefined> {
  const closed = line.state === 'closed' ? (line.closed_at ?? line.updated_at) : null;
  const made = await tx
    .insertInto('epics')
    .values({
      ...line,
      ...people,
      namespace_id: groupId,
      description: line.description ?? null,
      start_date_fixed: line.start_date_fixed ?? null,
      due_date_fixed: line.due_date_fixed ?? null,
      closed_at: closed,
      last_edited_at: line.last_edited_at ?? null,
      discussion_locked: line.discussion_locked ?? false,
      health_status: line.health_status ?? null,
      time_estimate: line.time_estimate ?? 0,
      time_spent: times.reduce((sum, { seconds }) => sum + seconds, 0),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return undefined;
  await sql`insert into epic_labels (epic_id, label_id)
    select ${made.id}, l.id from (${meantBy('labels', { groupId }, labels)}) l`.execute(tx);
  await insertEntries(tx, 'epics', [{ id: made.id, entries: times }]);
  await raiseGroupCounter(tx, groupId, 'epic', line.iid);
  return made.id;
}

export interface EpicName {
  /** Path of its group below the one at the top of the archive; empty for that one. */
  readonly group: string;
  readonly iid: number;
}

export interface EpicLinkLine {
  readonly source: EpicName;
  readonly target: EpicName;
  /** `parent`: the target is above the source. */
  readonly link_type: 'relates_to' | 'blocks' | 'parent';
  /** Among the epics below the same one. */
  readonly position?: number | null | undefined;
  readonly created_at: Date;
}

/** From the epics of a group to those of any group of the same archive. */
export async function* epicLinkLinesOf(db: Db, groupId: number, rootId: number): AsyncGenerator<EpicLinkLine[]> {
  const name = (group: string, epic: string) => sql`jsonb_build_object('group',
    ltrim(substr(${sql.ref(`${group}.full_path`)}, length(r.full_path) + 1), '/'), 'iid', ${sql.ref(`${epic}.iid`)})`;
  const { rows } = await sql<EpicLinkLine>`
    select ${name('g', 's')} as source, ${name('h', 't')} as target, k.link_type, k.position, k.created_at
    from epics s join namespaces g on g.id = s.namespace_id
      cross join lateral (
        select s.parent_id as target_id, 'parent' as link_type, s.relative_position as position, s.created_at
        where s.parent_id is not null
        union all
        select l.target_id, l.link_type, null, l.created_at from epic_links l where l.source_id = s.id) k
      join epics t on t.id = k.target_id join namespaces h on h.id = t.namespace_id
      join namespaces r on r.id = ${rootId} and r.id = any(h.traversal_ids)
    where s.namespace_id = ${groupId}
    order by s.iid, k.link_type, h.full_path, t.iid`.execute(db);
  yield rows;
}

async function named(tx: Db, rootId: number, { group, iid }: EpicName): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`select e.id from namespaces r
      join namespaces g on g.id = namespace_at(r.full_path || ${group === '' ? '' : `/${group}`})
        and r.id = any(g.traversal_ids)
      join epics e on e.namespace_id = g.id and e.iid = ${iid}
    where r.id = ${rootId}`.execute(tx);
  return rows[0]?.id ?? null;
}

/** Why not, where it cannot be. */
export async function insertArchivedEpicLink(tx: Db, rootId: number, line: EpicLinkLine): Promise<string | null> {
  const [source, target] = [await named(tx, rootId, line.source), await named(tx, rootId, line.target)];
  if (source === null || target === null) return 'links epics that the archive does not have';
  if (source === target) return 'links an epic with itself';
  if (line.link_type !== 'parent') {
    const values = { source_id: source, target_id: target, link_type: line.link_type, created_at: line.created_at };
    const made = await tx
      .insertInto('epic_links')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return made ? null : 'is there already';
  }
  const { rows } = await sql<{
    root: number;
  }>`select n.traversal_ids[1] as root from namespaces n where n.id = ${rootId}`.execute(tx);
  await lockTree(tx, rows[0]?.root ?? rootId);
  const above = await chainAbove(tx, target);
  if (above.includes(source)) return 'would be below itself';
  if (above.length + (await depthBelow(tx, source)) > deepest) return `has more than ${deepest} levels of epics`;
  await tx
    .updateTable('epics')
    .set({ parent_id: target, relative_position: line.position ?? null })
    .where('id', '=', source)
    .execute();
  return null;
}

/** They go with the epics; here for an import that begins again. */
export async function removeEpicLinks(tx: Db, groupId: number): Promise<void> {
  await sql`delete from epic_links where source_id in (select id from epics where namespace_id = ${groupId})`.execute(
    tx,
  );
}
