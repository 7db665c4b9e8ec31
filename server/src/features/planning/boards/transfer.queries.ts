/** Boards as archives of projects and groups hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { type IterationName, meantBy, meantIterations, type Within } from '../../collaboration/index.ts';

type Maybe<T> = T | null | undefined;

interface BoardLine {
  readonly name: string;
  readonly hide_backlog_list?: boolean;
  readonly hide_closed_list?: boolean;
  readonly milestone?: Maybe<string>;
  readonly labels?: readonly string[];
  readonly weight?: Maybe<number>;
}

export interface ListLine {
  /** Titles. */
  readonly label: Maybe<string>;
  readonly milestone: Maybe<string>;
  readonly iteration: Maybe<IterationName>;
  readonly userId: number | null;
}

export async function* boardLinesOf(db: Db, place: Within): AsyncGenerator<BoardLine[]> {
  const within = 'projectId' in place ? sql`b.project_id = ${place.projectId}` : sql`b.namespace_id = ${place.groupId}`;
  const { rows } = await sql<BoardLine>`
    select b.name, b.hide_backlog_list, b.hide_closed_list, b.weight,
      (select title from milestones where id = b.milestone_id) as milestone,
      (select username from users where id = b.assignee_id) as assignee,
      coalesce((select jsonb_agg(l.title order by l.title) from board_labels k join labels l on l.id = k.label_id
        where k.board_id = b.id), '[]') as labels,
      coalesce((select jsonb_agg(jsonb_build_object('label', (select title from labels where id = s.label_id),
          'milestone', (select title from milestones where id = s.milestone_id),
          'iteration', (select jsonb_build_object('iid', i.iid, 'start_date', i.start_date) from iterations i
            where i.id = s.iteration_id),
          'assignee', (select username from users where id = s.assignee_id)) order by s.position, s.id)
        from board_lists s where s.board_id = b.id), '[]') as lists
    from boards b where ${within} order by b.id`.execute(db);
  yield rows;
}

export async function insertArchivedBoard(
  tx: Db,
  place: Within,
  line: BoardLine,
  assigneeId: number | null,
  lists: readonly ListLine[],
): Promise<void> {
  const [project, group] = 'projectId' in place ? [place.projectId, null] : [null, place.groupId];
  const { rows } = await sql<{ id: number }>`
    insert into boards (project_id, namespace_id, name, hide_backlog_list, hide_closed_list, milestone_id, assignee_id, weight)
    values (${project}, ${group}, ${line.name}, ${line.hide_backlog_list ?? false}, ${line.hide_closed_list ?? false},
      (select id from (${meantBy('milestones', place, [line.milestone])}) m), ${assigneeId}, ${line.weight ?? null})
    returning id`.execute(tx);
  const id = rows[0]?.id;
  await sql`insert into board_labels (board_id, label_id)
    select ${id}, l.id from (${meantBy('labels', place, line.labels ?? [])}) l`.execute(tx);
  let position = 0;
  for (const { label, milestone, iteration, userId } of lists) {
    // What is not there any more, or is there twice, makes no list.
    const { numAffectedRows } = await sql`
      insert into board_lists (board_id, label_id, milestone_id, iteration_id, assignee_id, position)
      select ${id}, l.label_id, l.milestone_id, l.iteration_id, l.user_id, ${position}
      from (select (select id from (${meantBy('labels', place, [label])}) m) as label_id,
        (select id from (${meantBy('milestones', place, [milestone])}) m) as milestone_id,
        (select id from (${meantIterations(place, [iteration])}) m) as iteration_id, ${userId}::bigint as user_id) l
      where num_nonnulls(l.label_id, l.milestone_id, l.iteration_id, l.user_id) = 1
      on conflict do nothing`.execute(tx);
    position += Number(numAffectedRows ?? 0);
  }
}
