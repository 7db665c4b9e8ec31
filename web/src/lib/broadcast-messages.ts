/** Messages of administrators to everybody: those shown now, and all of them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type BroadcastMessage = Schemas['BroadcastMessage'];

export const activeMessages = () =>
  queryOptions({
    queryKey: ['broadcast-messages', 'active'],
    queryFn: () => unwrap(client.GET('/broadcast_messages', { params: { query: { active: true, per_page: 20 } } })),
    staleTime: 60_000,
  });

export const broadcastMessages = () =>
  infiniteQueryOptions({
    queryKey: ['broadcast-messages', 'all'],
    queryFn: ({ pageParam }) =>
      unwrapPage(client.GET('/broadcast_messages', { params: { query: { per_page: 50, page: pageParam } } })),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });
