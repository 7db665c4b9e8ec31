/** What pages ask of milestones and labels. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Milestone = Schemas['Milestone'];
export type Label = Schemas['Label'];

interface MilestoneSearch {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
}

/** The project's own and those of the groups above, what is due first. */
export const milestones = (path: string, { page = 1, state, search }: MilestoneSearch) =>
  queryOptions({
    queryKey: ['project', path, 'milestones', page, state, search],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/milestones', {
          params: {
            path: { id: path },
            query: {
              page,
              per_page: 20,
              include_ancestors: true,
              state: (state ?? 'active') as 'active',
              ...(search ? { search } : {}),
            },
          },
        }),
      ),
  });

/** The project's milestone of a number; null where it has none. */
export const milestoneAt = (path: string, iid: number) =>
  queryOptions({
    queryKey: ['project', path, 'milestone', iid],
    queryFn: async () =>
      (
        await unwrap(
          client.GET('/projects/{id}/milestones', { params: { path: { id: path }, query: { 'iids[]': [iid] } } }),
        )
      )[0] ?? null,
  });

export const milestoneRequests = (path: string, id: number, page: number) =>
  queryOptions({
    queryKey: ['project', path, 'milestone-requests', id, page],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/milestones/{milestone_id}/merge_requests', {
          params: { path: { id: path, milestone_id: id }, query: { page, per_page: 20 } },
        }),
      ),
  });

/** How many of a milestone's merge requests here there are, and how many of them are open. */
export const milestoneProgress = (path: string, title: string) =>
  queryOptions({
    queryKey: ['project', path, 'merge-requests', 'progress', title],
    queryFn: async () => {
      const count = async (state: 'all' | 'opened') =>
        (
          await unwrapPage(
            client.GET('/projects/{id}/merge_requests', {
              params: { path: { id: path }, query: { milestone: title, state, per_page: 1 } },
            }),
          )
        ).total;
      const [all, open] = await Promise.all([count('all'), count('opened')]);
      return all === null || open === null ? null : { all, open };
    },
  });

/** Milestones that something may be planned for. */
export const openMilestones = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'milestones', 'open'],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/milestones', {
          params: { path: { id: path }, query: { state: 'active', include_ancestors: true, per_page: 100 } },
        }),
      ),
  });

export const labels = (path: string, search: string) =>
  queryOptions({
    queryKey: ['project', path, 'labels', search],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/labels', {
          params: { path: { id: path }, query: { per_page: 100, archived: false, ...(search ? { search } : {}) } },
        }),
      ),
    staleTime: 30_000,
  });
