/** The cards of the columns of boards, of issues and of epics: those that are asked for in one moment with one request. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Paged } from './api.ts';
import type { Board, BoardIssue, BoardMove, ColumnName } from './boards.ts';

/** Cards of a column that are read at once. */
const perColumn = 25;

interface Reads {
  /** Where answers are kept. */
  readonly key: readonly string[];
  /** The first cards of columns, by name. */
  beginnings(
    boardId: number,
    query: { readonly columns: string; readonly limit: number; readonly with_labels_details: boolean },
  ): Promise<ReadonlyArray<readonly [column: string, beginning: Beginning]>>;
  /** A later page of a column. */
  page(
    boardId: number,
    query: {
      readonly column: ColumnName;
      readonly per_page: number;
      readonly page: number;
      readonly with_labels_details: boolean;
    },
  ): Promise<Paged<BoardIssue>>;
}

interface Beginning {
  readonly items: BoardIssue[];
  readonly more: boolean;
  readonly total: number | null;
}

/** Columns that are asked for in the same moment, which one request answers. */
interface Gathered {
  readonly columns: Set<ColumnName>;
  readonly answer: Promise<ReadonlyMap<string, Paged<BoardIssue>>>;
}
const gathering = new Map<string, Gathered>();

/** The first page of a column, with those of all that are asked for in the same moment. */
async function beginningOf(
  { key, beginnings }: Reads,
  boardId: number,
  column: ColumnName,
): Promise<Paged<BoardIssue>> {
  const name = [...key, boardId].join(' ');
  let gathered = gathering.get(name);
  if (!gathered) {
    const columns = new Set<ColumnName>();
    const answer = new Promise<void>((resolve) => setTimeout(resolve)).then(async () => {
      gathering.delete(name);
      const query = { columns: [...columns].join(','), limit: perColumn, with_labels_details: true };
      const found = await beginnings(boardId, query);
      return new Map(
        found.map(([each, { items, more, total }]) => [each, { items, nextPage: more ? 2 : null, total }]),
      );
    });
    gathered = { columns, answer };
    gathering.set(name, gathered);
  }
  gathered.columns.add(column);
  return (await gathered.answer).get(column) ?? { items: [], nextPage: null, total: 0 };
}

/** The cards of a column, page by page. */
export const columnOf = (reads: Reads, board: Board, column: ColumnName) =>
  infiniteQueryOptions({
    queryKey: [...reads.key, board.id, 'column', column],
    queryFn: ({ pageParam: page }): Promise<Paged<BoardIssue>> =>
      page === 1
        ? beginningOf(reads, board.id, column)
        : reads.page(board.id, { column, page, per_page: perColumn, with_labels_details: true }),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** What the server is told of a move. */
export const moveBody = ({ from, to, above, below }: BoardMove) => ({
  from_column: from,
  to_column: to,
  ...(above ? { move_after_id: above.id } : {}),
  ...(below ? { move_before_id: below.id } : {}),
});
