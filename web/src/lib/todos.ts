/** To-dos of the person who is signed in: lists by the API's filters, marking them as done, and restoring them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Todo = Schemas['Todo'];

/** What stands in the address, in the words of the API. */
export interface TodoFilter {
  readonly state?: string | undefined;
  readonly project_id?: number | undefined;
  readonly author_id?: number | undefined;
  readonly type?: string | undefined;
  readonly action?: string | undefined;
}

/** Why a to-do was added, by the API's word: in a row, where the name of its author follows, and in the filter. */
export const todoReasons: Readonly<Record<string, { readonly row: string; readonly filter: string }>> = {
  assigned: { row: 'assigned to you by', filter: 'Assigned' },
  mentioned: { row: 'you were mentioned by', filter: 'Mentioned' },
  directly_addressed: { row: 'you were addressed by', filter: 'Directly addressed' },
  marked: { row: 'added by', filter: 'Added' },
  approval_required: { row: 'needs your approval, by', filter: 'Approval required' },
  review_requested: { row: 'review requested by', filter: 'Review requested' },
  review_submitted: { row: 'reviewed by', filter: 'Review submitted' },
  unmergeable: { row: 'cannot be merged, by', filter: 'Cannot be merged' },
  build_failed: { row: 'pipeline failed, by', filter: 'Pipeline failed' },
  merge_train_removed: { row: 'removed from the merge train by', filter: 'Removed from merge train' },
  member_access_requested: { row: 'access requested by', filter: 'Access requested' },
};

export const todoTypes: Readonly<Record<string, string>> = {
  Issue: 'Issue',
  MergeRequest: 'Merge request',
  Epic: 'Epic',
};

/** The parameters of the API; words that it does not know are left out. */
function narrowing({ project_id, author_id, type, action }: TodoFilter) {
  return {
    ...(project_id ? { project_id } : {}),
    ...(author_id ? { author_id } : {}),
    ...(type && Object.hasOwn(todoTypes, type) ? { type: type as 'Issue' } : {}),
    ...(action && Object.hasOwn(todoReasons, action) ? { action: action as 'marked' } : {}),
  };
}

/** Everything that is cached about to-dos, with their count. */
export const todosKey = ['work'] as const;

export const todos = (filter: TodoFilter = {}) =>
  infiniteQueryOptions({
    queryKey: [...todosKey, 'todos', filter],
    queryFn: ({ pageParam }) => {
      const state = filter.state === 'done' ? ('done' as const) : ('pending' as const);
      const query = { ...narrowing(filter), state, per_page: 20, page: pageParam };
      return unwrapPage(client.GET('/todos', { params: { query } }));
    },
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const markTodoDone = (id: number) =>
  unwrap(client.POST('/todos/{id}/mark_as_done', { params: { path: { id } } }));

/** Marks all that match the filter as done; their ids, to restore them. */
export const markTodosDone = async (filter: TodoFilter): Promise<readonly number[]> => {
  const body = { ...narrowing(filter), with_ids: true };
  return (await unwrap(client.POST('/todos/mark_as_done', { body })))?.ids ?? [];
};

export const restoreTodos = (ids: readonly number[]) =>
  unwrap(client.POST('/todos/mark_as_pending', { body: { ids: [...ids] } }));

/** The project with an id, for a filter that the address has. */
export const projectById = (id: number | undefined) =>
  queryOptions({
    queryKey: ['projects', 'id', id],
    queryFn: () => unwrap(client.GET('/projects/{id}', { params: { path: { id: String(id) } } })),
    enabled: id !== undefined,
    retry: false,
  });

export const projectsCalled = (search: string) =>
  queryOptions({
    queryKey: ['projects', 'called', search],
    queryFn: () => {
      const query = { membership: true, simple: true, per_page: 10, ...(search ? { search } : {}) } as const;
      return unwrap(client.GET('/projects', { params: { query } }));
    },
  });

/** The account with an id, for a filter that the address has. */
export const personById = (id: number | undefined) =>
  queryOptions({
    queryKey: ['users', 'id', id],
    queryFn: () => unwrap(client.GET('/users/{id}', { params: { path: { id: Number(id) } } })),
    enabled: id !== undefined,
    retry: false,
  });
