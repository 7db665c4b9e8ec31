/** Iterations of groups, as groups and projects show them, their cadences, and the issues planned for one. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';
import type { PlaceKind } from './planning.ts';

export type Iteration = Schemas['Iteration'];
export type Cadence = Schemas['IterationCadence'];

export interface IterationSearch {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
}

export interface IterationValues {
  readonly title: string | null;
  readonly description: string | null;
  readonly start_date: string;
  readonly due_date: string;
}

export interface CadenceValues {
  readonly title: string;
  readonly automatic: boolean;
  readonly start_date: string | null;
  readonly duration_in_weeks: number | null;
  readonly iterations_in_advance: number | null;
  readonly roll_over: boolean;
}

export const iterationsKey = (kind: PlaceKind, path: string) => [kind, path, 'iterations'] as const;

/** The operations of both kinds are the same, but for their addresses: typed as those of groups. */
const placeOf = (kind: PlaceKind) => (kind === 'project' ? '/projects/{id}' : '/groups/{id}') as '/groups/{id}';

export const iterations = (kind: PlaceKind, path: string, { page = 1, state = 'opened', search }: IterationSearch) =>
  queryOptions({
    queryKey: [...iterationsKey(kind, path), page, state, search],
    queryFn: () =>
      unwrapPage(
        client.GET(`${placeOf(kind)}/iterations` as const, {
          params: {
            path: { id: path },
            query: { page, per_page: 20, state: state as 'opened', ...(search ? { search } : {}) },
          },
        }),
      ),
  });

export const iteration = (kind: PlaceKind, path: string, id: number) =>
  queryOptions({
    queryKey: [...iterationsKey(kind, path), 'one', id],
    queryFn: () =>
      unwrap(
        client.GET(`${placeOf(kind)}/iterations/{iteration_id}` as const, {
          params: { path: { id: path, iteration_id: id } },
        }),
      ),
  });

/** Issues that are planned for an iteration, in everything below a group or in a project. */
export const iterationIssues = (kind: PlaceKind, path: string, id: number, page: number) =>
  queryOptions({
    queryKey: [...iterationsKey(kind, path), 'one', id, 'issues', page],
    queryFn: () =>
      unwrapPage(
        client.GET(`${placeOf(kind)}/issues` as const, {
          params: {
            path: { id: path },
            query: { iteration_id: String(id), scope: 'all', with_labels_details: true, page, per_page: 20 },
          },
        }),
      ),
  });

export const createIteration = (path: string, body: IterationValues & { readonly iteration_cadence_id?: number }) =>
  unwrap(client.POST('/groups/{id}/iterations', { params: { path: { id: path } }, body }));
export const changeIteration = (path: string, iteration_id: number, body: Partial<IterationValues>) =>
  unwrap(client.PUT('/groups/{id}/iterations/{iteration_id}', { params: { path: { id: path, iteration_id } }, body }));
export const removeIteration = (path: string, iteration_id: number) =>
  unwrap(client.DELETE('/groups/{id}/iterations/{iteration_id}', { params: { path: { id: path, iteration_id } } }));

export const cadencesKey = (path: string) => ['group', path, 'cadences'] as const;
export const cadences = (path: string) =>
  queryOptions({
    queryKey: cadencesKey(path),
    queryFn: () =>
      unwrapAll(
        client.GET('/groups/{id}/iteration_cadences', { params: { path: { id: path }, query: { per_page: 100 } } }),
      ),
  });
export const createCadence = (path: string, body: CadenceValues) =>
  unwrap(client.POST('/groups/{id}/iteration_cadences', { params: { path: { id: path } }, body }));
export const removeCadence = (path: string, cadence_id: number) =>
  unwrap(client.DELETE('/groups/{id}/iteration_cadences/{cadence_id}', { params: { path: { id: path, cadence_id } } }));

/** By the number that the API has for a state. */
export const iterationStates: Readonly<Record<number, string>> = { 1: 'Upcoming', 2: 'Current', 3: 'Closed' };
