/** Epic boards as archives of groups hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { meantBy } from '../../collaboration/index.ts';
import { insertEpicBoard } from './epic-boards.queries.ts';

export interface EpicBoardLine {
  readonly name: string;
  readonly hide_backlog_list: boolean;
  readonly hide_closed_list: boolean;
  /** Titles. */
  readonly labels: readonly string[];
  readonly lists: ReadonlyArray<{ readonly label: string; readonly collapsed: boolean }>;
}

export async function* epicBoardLinesOf(db: Db, groupId: number): AsyncGenerator<EpicBoardLine[]> {
  const { rows } = await sql<EpicBoardLine>`
    select b.name, b.hide_backlog_list, b.hide_closed_list,
      coalesce((select jsonb_agg(l.title order by l.title) from epic_board_labels k join labels l on l.id = k.label_id
        where k.epic_board_id = b.id), '[]') as labels,
      coalesce((select jsonb_agg(jsonb_build_object('label', l.title, 'collapsed', s.collapsed) order by s.position, s.id)
        from epic_board_lists s join labels l on l.id = s.label_id where s.epic_board_id = b.id), '[]') as lists
    from epic_boards b where b.namespace_id = ${groupId} order by b.id`.execute(db);
  yield rows;
}

export async function insertArchivedEpicBoard(
  tx: Db,
  groupId: number,
  { labels, lists, ...values }: EpicBoardLine,
): Promise<void> {
  const { id } = await insertEpicBoard(tx, groupId, values);
  const place = { groupId };
  await sql`insert into epic_board_labels (epic_board_id, label_id)
    select ${id}, l.id from (${meantBy('labels', place, labels)}) l`.execute(tx);
  const titles = lists.map(({ label }) => label);
  // What is not there any more, or is there twice, makes no list.
  await sql`insert into epic_board_lists (epic_board_id, label_id, position, collapsed)
    select ${id}, l.id, row_number() over (order by w.at) - 1, w.collapsed
    from (select title, collapsed, at from unnest(${titles}::text[], ${lists.map((list) => list.collapsed)}::boolean[])
        with ordinality u (title, collapsed, at)) w
      join (${meantBy('labels', place, titles)}) l on l.title = w.title
    on conflict do nothing`.execute(tx);
}
