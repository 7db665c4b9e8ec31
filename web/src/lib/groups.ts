/** What the pages of groups ask of the API, as queries with their keys. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapPage } from './api.ts';
import { group } from './data.ts';
import { queries } from './queries.ts';
import { currentSession } from './session.ts';

const id = (path: string) => ({ id: path });
const many = 100;

/** The caller's level in a group, read with it: 0 for none, an owner's for administrators. */
export const groupLevel = (path: string) =>
  queryOptions({
    queryKey: ['group', path, 'own-level'],
    queryFn: async () => {
      const { user, admin } = await currentSession();
      if (!user || admin) return admin ? 50 : 0;
      // Once with the pages that ask for both.
      const { own_access_level: level = 0 } = await queries.fetchQuery({
        ...group(path),
        staleTime: Number.POSITIVE_INFINITY,
      });
      return level;
    },
  });

export type GroupSort = 'name' | 'path' | 'newest';
export interface GroupFilter {
  readonly search?: string | undefined;
  readonly sort?: GroupSort | undefined;
  readonly page?: number | undefined;
  readonly visibility?: Visibility | undefined;
  /** Also those of which the caller is no member. */
  readonly list?: 'all' | undefined;
}

export const visibilities = ['private', 'internal', 'public'] as const;
export type Visibility = (typeof visibilities)[number];

/** What an overview of a group is narrowed to. */
export const contents = ['subgroups', 'projects'] as const;
export interface OverviewFilter extends Pick<GroupFilter, 'search' | 'sort'> {
  readonly list?: (typeof contents)[number] | undefined;
}

const orderOf = (sort: GroupSort | undefined) =>
  sort === 'newest'
    ? ({ order_by: 'id', sort: 'desc' } as const)
    : ({ order_by: sort === 'path' ? 'path' : 'name', sort: 'asc' } as const);

/** Groups of which the caller is a member, or all that they see. */
export const groupList = (filter: GroupFilter) =>
  queryOptions({
    queryKey: ['groups', filter],
    queryFn: () =>
      unwrapPage(
        client.GET('/groups', {
          params: {
            query: {
              ...orderOf(filter.sort),
              ...(filter.list === 'all' ? { all_available: true } : { min_access_level: 10 }),
              per_page: 20,
              page: filter.page ?? 1,
              ...(filter.search ? { search: filter.search } : {}),
              ...(filter.visibility ? { visibility: filter.visibility } : {}),
            },
          },
        }),
      ),
  });

/** What is directly below a group, or with a search anywhere below it. */
export const groupsBelow = (path: string, filter: Pick<GroupFilter, 'search' | 'sort'> = {}) =>
  queryOptions({
    queryKey: ['group', path, 'subgroups', filter],
    queryFn: () => {
      const query = {
        ...orderOf(filter.sort),
        all_available: true,
        per_page: many,
        ...(filter.search ? { search: filter.search } : {}),
      };
      const params = { path: id(path), query };
      return filter.search
        ? unwrapPage(client.GET('/groups/{id}/descendant_groups', { params }))
        : unwrapPage(client.GET('/groups/{id}/subgroups', { params }));
    },
  });

export const projectsIn = (path: string, filter: Pick<GroupFilter, 'search' | 'sort'> = {}) =>
  queryOptions({
    queryKey: ['group', path, 'projects', filter],
    queryFn: () =>
      unwrapPage(
        client.GET('/groups/{id}/projects', {
          params: {
            path: id(path),
            query: {
              per_page: many,
              order_by: filter.sort === 'newest' ? 'created_at' : (filter.sort ?? 'name'),
              sort: filter.sort === 'newest' ? 'desc' : 'asc',
              with_shared: !filter.search,
              ...(filter.search ? { search: filter.search, include_subgroups: true } : {}),
            },
          },
        }),
      ),
  });

export const badges = (path: string) =>
  queryOptions({
    queryKey: ['group', path, 'badges'],
    queryFn: () => unwrap(client.GET('/groups/{id}/badges', { params: { path: id(path), query: { per_page: many } } })),
  });

export const transferLocations = (path: string) =>
  queryOptions({
    queryKey: ['group', path, 'transfer-locations'],
    queryFn: () =>
      unwrap(client.GET('/groups/{id}/transfer_locations', { params: { path: id(path), query: { per_page: many } } })),
  });
