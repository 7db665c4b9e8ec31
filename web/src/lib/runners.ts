/** Runners of the instance, a group or a project, as queries with their keys and what changes them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type ListedRunner = Schemas['Runner'];
export type RunnerDetails = Schemas['RunnerDetail'];

/** Whose runners are shown; groups and projects with their id, which new runners belong to. */
export type RunnerPlace =
  | { readonly kind: 'instance' }
  | { readonly kind: 'group' | 'project'; readonly id: number; readonly path: string };

/** Which kind of runners belongs to a place, and may be changed there. */
const ownKinds = { instance: null, group: 'group_type', project: 'project_type' } as const;
export const manages = (place: RunnerPlace, { runner_type: type }: { readonly runner_type: string }): boolean =>
  place.kind === 'instance' || ownKinds[place.kind] === type;

export type RunnerFields = {
  description: string;
  tags: string[];
  run_untagged: boolean;
  protected: boolean;
  locked: boolean;
  /** In minutes; empty for that of the project. */
  timeout: string;
  maintenance_note: string;
};

/** A change in any of them is one in all lists: a runner may be in several. */
export const runnersKey = ['runners'] as const;

export const runnersOf = (place: RunnerPlace) =>
  infiniteQueryOptions({
    queryKey: [...runnersKey, place.kind, 'path' in place ? place.path : ''],
    queryFn: ({ pageParam }) => {
      const query = { per_page: 50, page: pageParam, with_details: true };
      if (place.kind === 'instance') return unwrapPage(client.GET('/runners/all', { params: { query } }));
      const params = { path: { id: place.path }, query };
      return place.kind === 'group'
        ? unwrapPage(client.GET('/groups/{id}/runners', { params }))
        : unwrapPage(client.GET('/projects/{id}/runners', { params }));
    },
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** Project runners that the caller manages; those of other projects can be enabled in one. */
export const managedRunners = queryOptions({
  queryKey: [...runnersKey, 'managed'],
  queryFn: () =>
    unwrap(client.GET('/runners', { params: { query: { type: 'project_type', per_page: 100, with_details: true } } })),
});

const one = (id: number) => ({ params: { path: { id } } });

export const runner = (id: number) =>
  queryOptions({
    queryKey: [...runnersKey, 'one', id],
    queryFn: () => unwrap(client.GET('/runners/{id}', { params: { path: { id }, query: { with_details: true } } })),
    refetchInterval: 15_000,
  });
/** Until its first contact it is looked at more often. */
export const newRunner = (id: number) => ({
  ...runner(id),
  refetchInterval: ({ state }: { state: { data?: RunnerDetails | undefined } }) =>
    state.data?.contacted_at ? (false as const) : 3_000,
});
export const runnerManagers = (id: number) =>
  queryOptions({
    queryKey: [...runnersKey, 'one', id, 'managers'],
    queryFn: () => unwrap(client.GET('/runners/{id}/managers', one(id))),
  });
export const runnerJobs = (id: number) =>
  queryOptions({
    queryKey: [...runnersKey, 'one', id, 'jobs'],
    queryFn: () => unwrap(client.GET('/runners/{id}/jobs', { params: { path: { id }, query: { per_page: 20 } } })),
  });
/** Jobs that it may take, the next one first. */
export const runnerQueue = (id: number) =>
  queryOptions({
    queryKey: [...runnersKey, 'one', id, 'queue'],
    queryFn: () =>
      unwrapPage(client.GET('/runners/{id}/waiting_jobs', { params: { path: { id }, query: { per_page: 20 } } })),
    refetchInterval: 15_000,
  });

const settingsOf = (fields: RunnerFields) => ({
  description: fields.description,
  tag_list: fields.tags,
  run_untagged: fields.run_untagged,
  locked: fields.locked,
  access_level: fields.protected ? ('ref_protected' as const) : ('not_protected' as const),
  maintenance_note: fields.maintenance_note,
});

export const newFields: RunnerFields = {
  description: '',
  tags: [],
  run_untagged: true,
  protected: false,
  locked: false,
  timeout: '',
  maintenance_note: '',
};
export const fieldsOf = (of: RunnerDetails): RunnerFields => ({
  description: of.description,
  tags: [...of.tag_list],
  run_untagged: of.run_untagged,
  protected: of.access_level === 'ref_protected',
  locked: of.locked,
  timeout: of.maximum_timeout === null ? '' : String(Math.round(of.maximum_timeout / 60)),
  maintenance_note: of.maintenance_note ?? '',
});
const timeoutOf = ({ timeout }: RunnerFields) => (timeout.trim() === '' ? null : Number(timeout) * 60);

export function createRunner(place: RunnerPlace, fields: RunnerFields): Promise<Schemas['RunnerCreated']> {
  const timeout = timeoutOf(fields);
  const owner =
    place.kind === 'instance'
      ? ({ runner_type: 'instance_type' } as const)
      : place.kind === 'group'
        ? ({ runner_type: 'group_type', group_id: place.id } as const)
        : ({ runner_type: 'project_type', project_id: place.id } as const);
  const body = { ...settingsOf(fields), ...owner, ...(timeout === null ? {} : { maximum_timeout: timeout }) };
  return unwrap(client.POST('/user/runners', { body }));
}

export const changeRunner = (id: number, fields: RunnerFields): Promise<unknown> =>
  unwrap(
    client.PUT('/runners/{id}', { ...one(id), body: { ...settingsOf(fields), maximum_timeout: timeoutOf(fields) } }),
  );
export const pauseRunner = (id: number, paused: boolean): Promise<unknown> =>
  unwrap(client.PUT('/runners/{id}', { ...one(id), body: { paused } }));
/** Enables a project runner in another project, or disables it there. */
export const enableRunner = (project: number, id: number): Promise<unknown> =>
  unwrap(client.POST('/projects/{id}/runners', { params: { path: { id: String(project) } }, body: { runner_id: id } }));
export const disableRunner = (project: number, id: number): Promise<unknown> =>
  unwrap(
    client.DELETE('/projects/{id}/runners/{runner_id}', { params: { path: { id: String(project), runner_id: id } } }),
  );
export const deleteRunner = (id: number): Promise<unknown> => unwrap(client.DELETE('/runners/{id}', one(id)));
