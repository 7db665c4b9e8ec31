/** Seats of a top-level group: who takes one, and who waits for one. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrapAll, unwrapPage } from './api.ts';

export type BillableMember = Schemas['BillableMember'];

/** Orders of the list, by the API's names. */
export const seatOrders = {
  name_asc: 'Name',
  name_desc: 'Name, Z to A',
  access_level_desc: 'Highest role',
  access_level_asc: 'Lowest role',
  last_joined: 'Last joined',
  oldest_joined: 'First joined',
  recent_sign_in: 'Last sign-in',
  oldest_sign_in: 'Longest since sign-in',
  last_activity_on_desc: 'Last active',
  last_activity_on_asc: 'Longest inactive',
} as const;
export type SeatOrder = keyof typeof seatOrders;

export const seats = (id: string, search: string, sort: SeatOrder) =>
  infiniteQueryOptions({
    queryKey: ['group', id, 'members', 'seats', search, sort],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/groups/{id}/billable_members', {
          params: { path: { id }, query: { page: pageParam, per_page: 50, sort, ...(search ? { search } : {}) } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** Where somebody is a member in the tree of the group, and the invited groups that give them a role. */
export const seatMemberships = (id: string, user_id: number) =>
  queryOptions({
    queryKey: ['group', id, 'members', 'seats', user_id],
    queryFn: async () => {
      const params = { path: { id, user_id }, query: { per_page: 100 } };
      const [direct, indirect] = await Promise.all([
        unwrapAll(client.GET('/groups/{id}/billable_members/{user_id}/memberships', { params })),
        unwrapAll(client.GET('/groups/{id}/billable_members/{user_id}/indirect', { params })),
      ]);
      return { direct, indirect };
    },
  });

export const pendingMembers = (id: string) =>
  queryOptions({
    queryKey: ['group', id, 'members', 'pending'],
    queryFn: () =>
      unwrapPage(client.GET('/groups/{id}/pending_members', { params: { path: { id }, query: { per_page: 100 } } })),
    refetchOnMount: 'always',
  });
