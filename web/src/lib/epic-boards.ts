/** Epic boards of a group, in the shape of boards of issues: their lists are labels. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import { columnOf, moveBody } from './board-columns.ts';
import type { Board, BoardIssue, Boards } from './boards.ts';

const boardOf = ({ labels, ...board }: Schemas['EpicBoard']): Board => ({
  ...board,
  ...{ milestone: null, assignee: null, weight: null },
  labels: labels.map(({ title }) => ({ name: title })),
});

const cardOf = ({ group_id, references, ...epic }: Schemas['ListedEpic']): BoardIssue => ({
  ...epic,
  ...{ weight: null, assignees: [], topic: `group:${group_id}:epics` },
  references: { full: references.full, short: references.short },
});

/** Epic boards of a group by its full path. */
export function epicBoardsOf(path: string): Boards {
  const base = '/groups/{id}/epic_boards';
  const id = { id: path };
  const key: readonly string[] = ['group', path, 'epic-boards'];
  const at = (board_id: number) => ({ path: { ...id, board_id } });
  const list = (boardId: number, list_id: number) => ({ path: { ...id, board_id: boardId, list_id } });
  const reads: Parameters<typeof columnOf>[0] = {
    key,
    async beginnings(boardId, query) {
      const found = await unwrap(client.GET(`${base}/{board_id}/columns`, { params: { ...at(boardId), query } }));
      return found.map(({ column, total, has_more: more, epics }) => [
        column,
        { items: epics.map(cardOf), more, total },
      ]);
    },
    async page(boardId, query) {
      const found = await unwrapPage(client.GET(`${base}/{board_id}/epics`, { params: { ...at(boardId), query } }));
      return { ...found, items: found.items.map(cardOf) };
    },
  };
  return {
    key,
    list: () =>
      queryOptions({
        queryKey: [...key, 'list'],
        queryFn: async (): Promise<Board[]> =>
          (await unwrapAll(client.GET(base, { params: { path: id, query: { per_page: 100 } } }))).map(boardOf),
      }),
    column: (board, column) => columnOf(reads, board, column),
    move: (board, move) =>
      unwrap(
        client.PUT(`${base}/{board_id}/epics/{epic_id}`, {
          params: { path: { ...id, board_id: board.id, epic_id: move.issue.id } },
          body: moveBody(move),
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
