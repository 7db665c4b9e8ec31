/** Boards as archives of projects hold them. Lists of iterations stay behind: iterations are the group's. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { meantBy } from '../../collaboration/index.ts';

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
  readonly userId: number | null;
}

export async function* boardLinesOf(db: Db, projectId: number): AsyncGenerator<BoardLine[]> {
  const { rows } = await sql<BoardLine>`
    select b.name, b.hide_backlog_list, b.hide_closed_list, b.weight,
      (select title from milestones where id = b.milestone_id) as milestone,
      (select username from users where id = b.assignee_id) as assignee,
      coalesce((select jsonb_agg(l.title order by l.title) from board_labels k join labels l on l.id = k.label_id
        where k.board_id = b.id), '[]') as labels,
      coalesce((select jsonb_agg(jsonb_build_object('label', (select title from labels where id = s.label_id),
          'milestone', (select title from milestones where id = s.milestone_id),
          'assignee', (select username from users where id = s.assignee_id)) order by s.position, s.id)
        from board_lists s where s.board_id = b.id and s.iteration_id is null), '[]') as lists
    from boards b where b.project_id = ${projectId} order by b.id`.execute(db);
  yield rows;
}

export async function insertArchivedBoard(
  tx: Db,
  projectId: number,
  line: BoardLine,
  assigneeId: number | null,
  lists: readonly ListLine[],
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    insert into boards (project_id, name, hide_backlog_list, hide_closed_list, milestone_id, assignee_id, weight)
    values (${projectId}, ${line.name}, ${line.hide_backlog_list ?? false}, ${line.hide_closed_list ?? false},
      (${meantBy('milestones', projectId, [line.milestone])}), ${assigneeId}, ${line.weight ?? null})
    returning id`.execute(tx);
  const id = rows[0]?.id;
  await sql`insert into board_labels (board_id, label_id)
    select ${id}, l.id from (${meantBy('labels', projectId, line.labels ?? [])}) l`.execute(tx);
  let position = 0;
  for (const { label, milestone, userId } of lists) {
    // What is not there any more, or is there twice, makes no list.
    const { numAffectedRows } = await sql`
      insert into board_lists (board_id, label_id, milestone_id, assignee_id, position)
      select ${id}, l.label_id, l.milestone_id, l.user_id, ${position}
      from (select (${meantBy('labels', projectId, [label])}) as label_id,
        (${meantBy('milestones', projectId, [milestone])}) as milestone_id, ${userId}::bigint as user_id) l
      where num_nonnulls(l.label_id, l.milestone_id, l.user_id) = 1
      on conflict do nothing`.execute(tx);
    position += Number(numAffectedRows ?? 0);
  }
}
