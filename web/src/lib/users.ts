/** What pages ask about other people: their profiles, and accounts for administrators. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapAll, unwrapKeyset } from './api.ts';
import { type UserFilter, userQuery } from './user-filter.ts';

const all = { per_page: 100 };

/** How many accounts there are of each kind. */
export const userCounts = () =>
  queryOptions({ queryKey: ['users', 'counts'], queryFn: () => unwrap(client.GET('/admin/users/counts')) });

/** Accounts as administrators list them, page by page. */
export const users = (filter: UserFilter) =>
  infiniteQueryOptions({
    queryKey: ['users', 'list', filter],
    queryFn: ({ pageParam }) =>
      unwrapKeyset(
        client.GET('/users', {
          params: {
            query: {
              ...userQuery(filter),
              pagination: 'keyset',
              per_page: 50,
              ...(pageParam === null ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
  });

/** What belongs to one account, by its id. */
export const ofUser = (id: number) => {
  const path = { id };
  return {
    details: () =>
      queryOptions({
        queryKey: ['users', id],
        queryFn: () => unwrap(client.GET('/users/{id}', { params: { path } })),
      }),
    status: () =>
      queryOptions({
        queryKey: ['users', id, 'status'],
        queryFn: () => unwrap(client.GET('/users/{user_id}/status', { params: { path: { user_id: String(id) } } })),
      }),
    projects: () =>
      queryOptions({
        queryKey: ['users', id, 'projects'],
        queryFn: () =>
          unwrapAll(
            client.GET('/users/{id}/projects', {
              params: { path, query: { ...all, order_by: 'last_activity_at' } },
            }),
          ),
      }),
    events: () =>
      queryOptions({
        queryKey: ['users', id, 'events'],
        queryFn: () =>
          unwrap(client.GET('/users/{id}/events', { params: { path: { id: String(id) }, query: { per_page: 50 } } })),
      }),
    followers: () =>
      queryOptions({
        queryKey: ['users', id, 'followers'],
        queryFn: () => unwrapAll(client.GET('/users/{id}/followers', { params: { path, query: all } })),
      }),
    following: () =>
      queryOptions({
        queryKey: ['users', id, 'following'],
        queryFn: () => unwrapAll(client.GET('/users/{id}/following', { params: { path, query: all } })),
      }),
    memberships: () =>
      queryOptions({
        queryKey: ['users', id, 'memberships'],
        queryFn: () => unwrapAll(client.GET('/users/{id}/memberships', { params: { path, query: all } })),
      }),
    counts: () =>
      queryOptions({
        queryKey: ['users', id, 'counts'],
        queryFn: () => unwrap(client.GET('/users/{id}/associations_count', { params: { path } })),
      }),
    sshKeys: () =>
      queryOptions({
        queryKey: ['users', id, 'keys'],
        queryFn: () =>
          unwrapAll(client.GET('/users/{user_id}/keys', { params: { path: { user_id: id }, query: all } })),
      }),
    gpgKeys: () =>
      queryOptions({
        queryKey: ['users', id, 'gpg-keys'],
        queryFn: () => unwrapAll(client.GET('/users/{id}/gpg_keys', { params: { path, query: all } })),
      }),
    emails: () =>
      queryOptions({
        queryKey: ['users', id, 'emails'],
        queryFn: () => unwrapAll(client.GET('/users/{id}/emails', { params: { path, query: all } })),
      }),
  };
};

/** How much somebody did on the days of the last year. */
export const contributionsOf = (id: number) =>
  queryOptions({
    queryKey: ['user', id, 'contributions'],
    queryFn: () => unwrap(client.GET('/users/{id}/contributions', { params: { path: { id: String(id) } } })),
  });
