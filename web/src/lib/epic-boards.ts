/** Epic boards of a group, in the shape of boards of issues: their lists are labels. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Paged, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import type { Board, BoardIssue, Boards, ColumnName } from './boards.ts';

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
    column: (board, column) =>
      infiniteQueryOptions({
        queryKey: [...key, board.id, 'column', column],
        queryFn: async ({ pageParam }): Promise<Paged<BoardIssue>> => {
          const found = await unwrapPage(
            client.GET('/groups/{id}/epics', {
              params: {
                path: id,
                query: {
                  ...{
                    per_page: 25,
                    page: pageParam,
                    with_labels_details: true,
                    order_by: 'relative_position',
                    sort: 'asc',
                  },
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
    move: (board, { issue, from, to, above, below }) =>
      unwrap(
        client.PUT(`${base}/{board_id}/epics/{epic_id}`, {
          params: { path: { ...id, board_id: board.id, epic_id: issue.id } },
          body: {
            from_column: from,
            to_column: to,
            ...(above ? { move_after_id: above.id } : {}),
            ...(below ? { move_before_id: below.id } : {}),
          },
        }),
      ),
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
