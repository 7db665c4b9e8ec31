/** What pages ask of milestones and labels, and what iterations are called. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';

export type Milestone = Schemas['Milestone'];
export type Label = Schemas['Label'];

export interface MilestoneSearch {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
}

interface MilestoneChange {
  readonly title?: string;
  readonly description?: string;
  readonly start_date?: string | null;
  readonly due_date?: string | null;
  readonly state_event?: 'close' | 'activate';
  readonly update_task?: Schemas['PutProjectsByIdMilestonesByMilestoneIdBody']['update_task'];
}

/** What has plans: a project, or a group with all that is below it. */
export type PlaceKind = 'project' | 'group';

/** The milestones of a project or group by its full path. */
export function milestonesOf(kind: PlaceKind, path: string) {
  const key = [kind, path] as const;
  const id = { id: path };
  return {
    /** Everything that is kept of the place: how far milestones are shows in many places. */
    key,
    /** The place's own and those of the groups above, what is due first, with how far they are. */
    list: ({ page = 1, state, search }: MilestoneSearch) =>
      queryOptions({
        queryKey: [...key, 'milestones', page, state, search],
        queryFn: () => {
          const query = {
            page,
            per_page: 20,
            include_ancestors: true,
            with_counts: true,
            state: (state ?? 'active') as 'active',
            ...(search ? { search } : {}),
          };
          return kind === 'project'
            ? unwrapPage(client.GET('/projects/{id}/milestones', { params: { path: id, query } }))
            : unwrapPage(client.GET('/groups/{id}/milestones', { params: { path: id, query } }));
        },
      }),
    /** The place's own milestone of a number; null where it has none. */
    at: (iid: number) =>
      queryOptions({
        queryKey: [...key, 'milestone', iid],
        queryFn: async () => {
          // An address may say anything.
          if (!Number.isSafeInteger(iid) || iid < 1) return null;
          const params = { path: id, query: { 'iids[]': [iid], with_counts: true, render_html: true } };
          const found =
            kind === 'project'
              ? await unwrap(client.GET('/projects/{id}/milestones', { params }))
              : await unwrap(client.GET('/groups/{id}/milestones', { params }));
          return found[0] ?? null;
        },
      }),
    /** The first issues of a milestone, the newest first; for a group's in everything below it. */
    issues: (milestoneId: number) =>
      queryOptions({
        queryKey: [...key, 'milestone-issues', milestoneId],
        queryFn: () => {
          const at = { ...id, milestone_id: milestoneId };
          const query = { per_page: 100 };
          return kind === 'project'
            ? unwrapPage(client.GET('/projects/{id}/milestones/{milestone_id}/issues', { params: { path: at, query } }))
            : unwrapPage(
                client.GET('/groups/{id}/milestones/{milestone_id}/issues', {
                  params: { path: at, query: { ...query, include_subgroups: true } },
                }),
              );
        },
      }),
    /** What is planned for a milestone; for a group's in everything below it. */
    requests: (milestoneId: number, page: number) =>
      queryOptions({
        queryKey: [...key, 'milestone-requests', milestoneId, page],
        queryFn: () => {
          const [at, query] = [
            { ...id, milestone_id: milestoneId },
            { page, per_page: 20 },
          ];
          return kind === 'project'
            ? unwrapPage(
                client.GET('/projects/{id}/milestones/{milestone_id}/merge_requests', { params: { path: at, query } }),
              )
            : unwrapPage(
                client.GET('/groups/{id}/milestones/{milestone_id}/merge_requests', {
                  params: { path: at, query: { ...query, include_subgroups: true } },
                }),
              );
        },
      }),
    create: (body: MilestoneChange & { readonly title: string }) =>
      kind === 'project'
        ? unwrap(client.POST('/projects/{id}/milestones', { params: { path: id }, body }))
        : unwrap(client.POST('/groups/{id}/milestones', { params: { path: id }, body })),
    change: (milestoneId: number, body: MilestoneChange) => {
      const params = { path: { ...id, milestone_id: milestoneId } };
      return kind === 'project'
        ? unwrap(client.PUT('/projects/{id}/milestones/{milestone_id}', { params, body }))
        : unwrap(client.PUT('/groups/{id}/milestones/{milestone_id}', { params, body }));
    },
    remove: (milestoneId: number) => {
      const params = { path: { ...id, milestone_id: milestoneId } };
      return kind === 'project'
        ? unwrap(client.DELETE('/projects/{id}/milestones/{milestone_id}', { params }))
        : unwrap(client.DELETE('/groups/{id}/milestones/{milestone_id}', { params }));
    },
  };
}

/** Milestones that something may be planned for; of a group also those below it. */
export const openMilestones = (path: string, kind: PlaceKind = 'project') =>
  queryOptions({
    queryKey: [kind, path, 'milestones', 'open'],
    queryFn: () => {
      const query = { state: 'active' as const, include_ancestors: true, per_page: 100 };
      return kind === 'project'
        ? unwrapAll(client.GET('/projects/{id}/milestones', { params: { path: { id: path }, query } }))
        : unwrapAll(
            client.GET('/groups/{id}/milestones', {
              params: { path: { id: path }, query: { ...query, include_descendants: true } },
            }),
          );
    },
  });

/** Labels that are in use; of a group also those below it, of projects as well. */
export const labels = (path: string, search: string, kind: PlaceKind = 'project') =>
  queryOptions({
    queryKey: [kind, path, 'labels', search],
    queryFn: () => {
      const query = { per_page: 100, archived: false, ...(search ? { search } : {}) };
      return kind === 'project'
        ? unwrapAll(client.GET('/projects/{id}/labels', { params: { path: { id: path }, query } }))
        : unwrapAll(
            client.GET('/groups/{id}/labels', {
              params: {
                path: { id: path },
                query: { ...query, include_descendant_groups: true, only_group_labels: false },
              },
            }),
          );
    },
    staleTime: 30_000,
  });

const day = (date: string) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** The title of an iteration; of one that its cadence scheduled, its days. */
export const iterationName = (iteration: {
  readonly title: string | null;
  readonly start_date: string;
  readonly due_date: string;
}): string => iteration.title ?? `${day(iteration.start_date)} – ${day(iteration.due_date)}`;
