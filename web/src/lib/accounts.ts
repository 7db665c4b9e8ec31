/** What pages ask about one's own account, and whose account has a name. */
import { queryOptions } from '@tanstack/react-query';
import { client, missing, unwrap, unwrapAll } from './api.ts';

const all = { per_page: 100 };

export const self = () => queryOptions({ queryKey: ['user'], queryFn: () => unwrap(client.GET('/user')) });
export const ownStatus = () =>
  queryOptions({ queryKey: ['user', 'status'], queryFn: () => unwrap(client.GET('/user/status')) });
export const ownEmails = () =>
  queryOptions({
    queryKey: ['user', 'emails'],
    queryFn: () => unwrapAll(client.GET('/user/emails', { params: { query: all } })),
  });
export const ownSshKeys = () =>
  queryOptions({
    queryKey: ['user', 'keys'],
    queryFn: () => unwrapAll(client.GET('/user/keys', { params: { query: all } })),
  });
export const ownGpgKeys = () =>
  queryOptions({
    queryKey: ['user', 'gpg-keys'],
    queryFn: () => unwrapAll(client.GET('/user/gpg_keys', { params: { query: all } })),
  });
export const feedToken = () =>
  queryOptions({
    queryKey: ['user', 'feed-token'],
    queryFn: () => unwrap(client.GET('/user/feed_token')),
    retry: false,
  });
export const makeFeedToken = () => unwrap(client.POST('/user/feed_token'));
export const preferences = () =>
  queryOptions({
    queryKey: ['user', 'preferences'],
    queryFn: () => unwrap(client.GET('/user/preferences')),
    staleTime: 60_000,
  });

/** The account with this name; nothing is known of it but what a reference has. */
export const userByName = (username: string) =>
  queryOptions({
    queryKey: ['users', 'name', username.toLowerCase()],
    queryFn: async () => {
      const [found] = await unwrap(client.GET('/users', { params: { query: { username } } }));
      if (!found) throw missing();
      return found;
    },
  });
