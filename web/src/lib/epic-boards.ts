/** Epic boards of a group, in the shape of boards of issues: their lists are labels, and moving an epic changes its labels. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Paged, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import type { Board, BoardIssue, BoardMove, Boards, ColumnName } from './boards.ts';
import { changeEpic } from './epics.ts';

const boardOf = ({ labels, ...board }: Schemas['EpicBoard']): Board => ({
  ...board,
  ...{ milestone: null, assignee: null, weight: null },
  labels: labels.map(({ title }) => ({ name: title })),
});

const namesOf = ({ lists }: Board) => lists.flatMap(({ label }) => label?.name ?? []);
const nameOf = (board: Board, column: ColumnName) =>
  board.lists.find(({ id }) => String(id) === column)?.label?.name ?? null;

/** Which epics a column shows. */
export function narrowedTo(board: Board, column: ColumnName) {
  const labels = board.labels.map(({ name }) => name);
  const name = nameOf(board, column);
  const lists = namesOf(board);
  return {
    state: column === 'closed' ? ('closed' as const) : ('opened' as const),
    labels: name === null ? labels : [...labels, name],
    ...(column === 'backlog' && lists.length > 0 ? { 'not[labels]': lists.join(',') } : {}),
  };
}

/** What a move changes of an epic. */
export function changeBy(board: Board, { from, to }: Pick<BoardMove, 'from' | 'to'>) {
  const [left, entered] = [nameOf(board, from), nameOf(board, to)];
  // Whoever is in no list has the label of none.
  const removed = to === 'backlog' ? namesOf(board) : left === null ? [] : [left];
  return {
    ...(entered === null ? {} : { add_labels: [entered] }),
    ...(removed.length === 0 || to === 'closed' ? {} : { remove_labels: removed }),
    ...(to === 'closed' ? { state_event: 'close' as const } : {}),
    ...(from === 'closed' ? { state_event: 'reopen' as const } : {}),
  };
}

/** Epic boards of a group by its full path. */
export function epicBoardsOf(path: string): Boards {
  const base = '/groups/{id}/epic_boards';
  const id = { id: path };
  const key: readonly string[] = ['group', path, 'epic-boards'];
  const at = (board_id: number) => ({ path: { ...id, board_id } });
  const list = (boardId: number, list_id: number) => ({ path: { ...id, board_id: boardId, list_id } });
  return {
    key,
    list: () =>
      queryOptions({
        queryKey: [...key, 'list'],
        queryFn: async (): Promise<Board[]> =>
          (await unwrapAll(client.GET(base, { params: { path: id, query: { per_page: 100 } } }))).map(boardOf),
      }),
    // The last one that was moved or changed is at the top.
    column: (board, column) =>
      infiniteQueryOptions({
        queryKey: [...key, board.id, 'column', column],
        queryFn: async ({ pageParam }): Promise<Paged<BoardIssue>> => {
          const found = await unwrapPage(
            client.GET('/groups/{id}/epics', {
              params: {
                path: id,
                query: {
                  ...{ per_page: 50, page: pageParam, with_labels_details: true, order_by: 'updated_at', sort: 'desc' },
                  ...narrowedTo(board, column),
                },
              },
            }),
          );
          const items = found.items.map(({ group_id, references, ...epic }) => ({
            ...epic,
            ...{ weight: null, assignees: [], topic: `group:${group_id}:epics` },
            references: { full: references.full, short: references.short },
          }));
          return { ...found, items };
        },
        initialPageParam: 1,
        getNextPageParam: (last) => last.nextPage,
      }),
    move: (board, move) => {
      const group = move.issue.references.full.replace(/&\d+$/, '');
      return changeEpic(group, move.issue.iid, changeBy(board, move));
    },
    create: async (name) => boardOf(await unwrap(client.POST(base, { params: { path: id }, body: { name } }))),
    change: async (boardId, { name, labels, hide_backlog_list, hide_closed_list }) =>
      boardOf(
        await unwrap(
          client.PUT(`${base}/{board_id}`, {
            params: at(boardId),
            body: {
              ...(name === undefined ? {} : { name }),
              ...(labels ? { labels: [...labels] } : {}),
              ...(hide_backlog_list === undefined ? {} : { hide_backlog_list }),
              ...(hide_closed_list === undefined ? {} : { hide_closed_list }),
            },
          }),
        ),
      ),
    remove: (boardId) => unwrap(client.DELETE(`${base}/{board_id}`, { params: at(boardId) })),
    addList: (boardId, { label_id = 0 }) =>
      unwrap(client.POST(`${base}/{board_id}/lists`, { params: at(boardId), body: { label_id } })),
    moveList: (boardId, listId, position) =>
      unwrap(client.PUT(`${base}/{board_id}/lists/{list_id}`, { params: list(boardId, listId), body: { position } })),
    removeList: (boardId, listId) =>
      unwrap(client.DELETE(`${base}/{board_id}/lists/{list_id}`, { params: list(boardId, listId) })),
  };
}
