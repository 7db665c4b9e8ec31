/** Boards of projects and groups: their columns, the issues in them, and moving these. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import { columnOf, moveBody } from './board-columns.ts';
import type { PlaceKind } from './planning.ts';
import { iterationName } from './planning.ts';

type Listed = Schemas['ListedIssue'];

/** A list of a board: by label, or on boards of issues by something else. */
export interface BoardList
  extends Pick<Schemas['BoardList'], 'id' | 'assignee' | 'milestone' | 'iteration' | 'position'> {
  readonly label?: { readonly name: string; readonly color: string; readonly description: string | null } | null;
}

/** A board of issues, or of epics, which have less to be narrowed to. */
export interface Board
  extends Pick<
    Schemas['Board'],
    'id' | 'name' | 'hide_backlog_list' | 'hide_closed_list' | 'milestone' | 'assignee' | 'weight'
  > {
  readonly labels: ReadonlyArray<{ readonly name: string }>;
  readonly lists: readonly BoardList[];
}

/** What is on a board: an issue or an epic. */
export interface BoardIssue
  extends Pick<Listed, 'id' | 'iid' | 'title' | 'confidential' | 'weight' | 'due_date' | 'assignees' | 'labels'> {
  readonly references: Pick<Listed['references'], 'full' | 'short'>;
  /** Where changes of it are told. */
  readonly topic: string;
}

/** Id of a list, or the columns before and after the lists. */
export type ColumnName = 'backlog' | 'closed' | `${number}`;

/** The columns of a board from left to right. */
export const columnsOf = (board: Board): ColumnName[] => [
  ...(board.hide_backlog_list ? [] : (['backlog'] as const)),
  ...board.lists.map(({ id }): ColumnName => `${id}`),
  ...(board.hide_closed_list ? [] : (['closed'] as const)),
];

/** What a list is made of; one of them. */
export interface ListSubject {
  readonly label_id?: number;
  readonly assignee_id?: number;
  readonly milestone_id?: number;
  readonly iteration_id?: number;
}

/** Which issues a board is about. */
export interface BoardScope {
  /** By name. */
  readonly labels: readonly string[];
  /** 0 for all. */
  readonly milestone_id: number;
  readonly assignee_id: number;
  readonly weight: number | null;
}

export interface BoardMove {
  readonly issue: BoardIssue;
  readonly from: ColumnName;
  readonly to: ColumnName;
  /** Issues right above and below the new place; null at an end. */
  readonly above: BoardIssue | null;
  readonly below: BoardIssue | null;
}

const cardOf = (issue: Schemas['ListedIssue']): BoardIssue => ({
  ...issue,
  topic: `project:${issue.project_id}:issues`,
});

/** The operations of both kinds are the same, but for their addresses: typed as those of groups. */
const bases = { project: '/projects/{id}/boards', group: '/groups/{id}/boards' } as const;

/** Boards of a place by its full path. */
export function boardsOf(kind: PlaceKind, path: string) {
  const base = bases[kind] as (typeof bases)['group'];
  const id = { id: path };
  const one = `${base}/{board_id}` as const;
  const key: readonly string[] = [kind, path, 'boards'];
  const at = (board_id: number) => ({ path: { ...id, board_id } });
  const reads: Parameters<typeof columnOf>[0] = {
    key,
    async beginnings(boardId, query) {
      const found = await unwrap(client.GET(`${one}/columns` as const, { params: { ...at(boardId), query } }));
      return found.map(({ column, total, has_more: more, issues }) => [
        column,
        { items: issues.map(cardOf), more, total },
      ]);
    },
    async page(boardId, query) {
      const found = await unwrapPage(client.GET(`${one}/issues` as const, { params: { ...at(boardId), query } }));
      return { ...found, items: found.items.map(cardOf) };
    },
  };
  return {
    key,
    list: () =>
      queryOptions({
        queryKey: [...key, 'list'],
        queryFn: (): Promise<Board[]> =>
          unwrapAll(client.GET(base, { params: { path: id, query: { per_page: 100 } } })),
      }),
    /** The issues of a column, page by page. */
    column: (board: Board, column: ColumnName) => columnOf(reads, board, column),
    move: (board: Board, move: BoardMove): Promise<unknown> =>
      unwrap(
        client.PUT(`${one}/issues/{issue_id}` as const, {
          params: { path: { ...id, board_id: board.id, issue_id: move.issue.id } },
          body: moveBody(move),
        }),
      ),
    create: (name: string): Promise<Board> => unwrap(client.POST(base, { params: { path: id }, body: { name } })),
    change: (
      boardId: number,
      {
        labels,
        ...body
      }: Partial<BoardScope> & {
        readonly name?: string;
        readonly hide_backlog_list?: boolean;
        readonly hide_closed_list?: boolean;
      },
    ): Promise<Board> =>
      unwrap(client.PUT(one, { params: at(boardId), body: { ...body, ...(labels ? { labels: [...labels] } : {}) } })),
    remove: (boardId: number) => unwrap(client.DELETE(one, { params: at(boardId) })),
    addList: (boardId: number, body: ListSubject): Promise<unknown> =>
      unwrap(client.POST(`${one}/lists` as const, { params: at(boardId), body })),
    moveList: (boardId: number, list_id: number, position: number): Promise<unknown> =>
      unwrap(
        client.PUT(`${one}/lists/{list_id}` as const, {
          params: { path: { ...id, board_id: boardId, list_id } },
          body: { position },
        }),
      ),
    removeList: (boardId: number, list_id: number) =>
      unwrap(
        client.DELETE(`${one}/lists/{list_id}` as const, { params: { path: { ...id, board_id: boardId, list_id } } }),
      ),
  };
}

export type Boards = ReturnType<typeof boardsOf>;

/** What lists can be made of at a place. */
export const listChoices = (kind: PlaceKind, path: string, type: keyof ListSubject) =>
  queryOptions({
    queryKey: [kind, path, 'list-choices', type],
    queryFn: async (): Promise<{ value: string; label: string }[]> => {
      const base = (kind === 'project' ? '/projects/{id}' : '/groups/{id}') as '/groups/{id}';
      const params = { path: { id: path }, query: { per_page: 100 } };
      if (type === 'label_id') {
        const found = await unwrapAll(client.GET(`${base}/labels` as const, { params }));
        return found.map(({ id, name }) => ({ value: String(id), label: name }));
      }
      if (type === 'milestone_id') {
        const query = { ...params.query, state: 'active' as const, include_ancestors: true };
        const found = await unwrapAll(client.GET(`${base}/milestones` as const, { params: { ...params, query } }));
        return found.map(({ id, title }) => ({ value: String(id), label: title }));
      }
      if (type === 'iteration_id') {
        const query = { ...params.query, state: 'opened' as const };
        const found = await unwrapAll(client.GET(`${base}/iterations` as const, { params: { ...params, query } }));
        return found.map((each) => ({ value: String(each.id), label: iterationName(each) }));
      }
      const found = await unwrapAll(client.GET(`${base}/members/all` as const, { params }));
      return found.map(({ id, name, username }) => ({ value: String(id), label: `${name} (@${username})` }));
    },
    staleTime: 30_000,
  });
