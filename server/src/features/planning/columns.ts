/** Columns of boards of issues and of epics, as parameters name them: lists by id, `backlog` before them, `closed` behind. */
import { Bool, Int, List, Optional, Str } from '../../kernel/http/params/schema.ts';

interface Columned {
  readonly hide_backlog_list: boolean;
  readonly hide_closed_list: boolean;
}

const columnName = (description: string) => Str({ pattern: '^(backlog|closed|[1-9]\\d{0,14})$', description });
const details = {
  with_labels_details: Optional(Bool({ default: false, description: 'Labels with colour and description' })),
};

/** Of one column. */
export const columnParams = (cards: string) => ({
  column: Optional(
    columnName(`Id of a list; \`backlog\` (default) for open ${cards} of no list, \`closed\` for closed ones`),
  ),
  ...details,
});

/** Of several. */
export const columnsParams = (cards: string) => ({
  columns: Optional(
    List(columnName('Id of a list, `backlog` or `closed`'), {
      ...{ commas: true, maxItems: 50 },
      description: 'Ids of lists, `backlog` and `closed`; by default all columns that the board shows',
    }),
  ),
  limit: Optional(
    Int({ ...{ minimum: 1, maximum: 100, default: 20 }, description: `Number of ${cards} of each column` }),
  ),
  ...details,
});

/** Of a card that is moved. */
export const moveParams = (card: string) => ({
  from_column: Optional(
    columnName('The column that it leaves: id of a list, `backlog` or `closed`; 409 where it is no longer there'),
  ),
  to_column: columnName('The column that it moves to: id of a list, `backlog` or `closed`'),
  move_after_id: Optional(Int({ description: `Id of the ${card} that it comes after` })),
  move_before_id: Optional(Int({ description: `Id of the ${card} that it comes before` })),
});

/** What a board shows, from the left. */
export const shownColumns = (board: Columned, lists: ReadonlyArray<{ readonly id: number }>): string[] => [
  ...(board.hide_backlog_list ? [] : ['backlog']),
  ...lists.map(({ id }) => String(id)),
  ...(board.hide_closed_list ? [] : ['closed']),
];
