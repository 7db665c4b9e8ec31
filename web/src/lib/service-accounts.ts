/** Service accounts of a group and of a project: the same questions of both. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';
import { type TokenDraft, type TokenSource, tokenQuery, unrolled } from './tokens.ts';

export type ServiceAccount = Schemas['ServiceAccount'];
type Draft = { name: string; username: string };

export interface ServiceAccountPlace {
  readonly noun: 'group' | 'project';
  readonly key: readonly string[];
  list(): Promise<ServiceAccount[]>;
  make(body: Partial<Draft>): Promise<unknown>;
  change(user_id: number, body: Draft): Promise<unknown>;
  remove(user_id: number): Promise<unknown>;
  /** The tokens of one of them. */
  tokens(user_id: number): TokenSource;
}

const query = { order_by: 'username', sort: 'asc', per_page: 100 } as const;

export const groupServiceAccounts = (id: string): ServiceAccountPlace => {
  const account = (user_id: number) => ({ params: { path: { id, user_id } } });
  const key = ['group', id, 'service-accounts'];
  return {
    noun: 'group',
    key,
    list: () => unwrapAll(client.GET('/groups/{id}/service_accounts', { params: { path: { id }, query } })),
    make: (body) => unwrap(client.POST('/groups/{id}/service_accounts', { params: { path: { id } }, body })),
    change: (user, body) => unwrap(client.PATCH('/groups/{id}/service_accounts/{user_id}', { ...account(user), body })),
    remove: (user) => unwrap(client.DELETE('/groups/{id}/service_accounts/{user_id}', account(user))),
    tokens: (user_id) => {
      const one = (token_id: number) => ({ params: { path: { id, user_id, token_id } } });
      const base = '/groups/{id}/service_accounts/{user_id}/personal_access_tokens' as const;
      return {
        key: [...key, String(user_id), 'tokens'],
        roles: false,
        list: (filter) => unwrapAll(client.GET(base, { params: { path: { id, user_id }, query: tokenQuery(filter) } })),
        create: (draft: TokenDraft) => unwrap(client.POST(base, { ...account(user_id), body: unrolled(draft) })),
        rotate: (token) => unwrap(client.POST(`${base}/{token_id}/rotate`, one(token))),
        revoke: (token) => unwrap(client.DELETE(`${base}/{token_id}`, one(token))),
      };
    },
  };
};

export const projectServiceAccounts = (id: string): ServiceAccountPlace => {
  const account = (user_id: number) => ({ params: { path: { id, user_id } } });
  const key = ['project', id, 'service-accounts'];
  return {
    noun: 'project',
    key,
    list: () => unwrapAll(client.GET('/projects/{id}/service_accounts', { params: { path: { id }, query } })),
    make: (body) => unwrap(client.POST('/projects/{id}/service_accounts', { params: { path: { id } }, body })),
    change: (user, body) =>
      unwrap(client.PATCH('/projects/{id}/service_accounts/{user_id}', { ...account(user), body })),
    remove: (user) => unwrap(client.DELETE('/projects/{id}/service_accounts/{user_id}', account(user))),
    tokens: (user_id) => {
      const one = (token_id: number) => ({ params: { path: { id, user_id, token_id } } });
      const base = '/projects/{id}/service_accounts/{user_id}/personal_access_tokens' as const;
      return {
        key: [...key, String(user_id), 'tokens'],
        roles: false,
        list: (filter) => unwrapAll(client.GET(base, { params: { path: { id, user_id }, query: tokenQuery(filter) } })),
        create: (draft: TokenDraft) => unwrap(client.POST(base, { ...account(user_id), body: unrolled(draft) })),
        rotate: (token) => unwrap(client.POST(`${base}/{token_id}/rotate`, one(token))),
        revoke: (token) => unwrap(client.DELETE(`${base}/{token_id}`, one(token))),
      };
    },
  };
};

export const serviceAccountsOf = (place: ServiceAccountPlace) =>
  queryOptions({ queryKey: place.key, queryFn: () => place.list() });
