/** Access tokens of a person, a project or a group: the same things to do with each, by different routes. */
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';

type PersonalToken = Schemas['PersonalAccessToken'];
/** A token of any of the three; those of projects and groups have a role. */
export type Token = PersonalToken & { readonly access_level?: number };
export type NewToken = Token & { readonly token: string };

export interface TokenFilter {
  readonly search: string;
  readonly state: 'active' | 'inactive' | 'all';
}

export interface TokenDraft {
  readonly name: string;
  readonly description: string;
  readonly scopes: string[];
  readonly expires_at: string;
  readonly access_level: number;
}

export interface TokenSource {
  /** Under which lists are kept. */
  readonly key: readonly string[];
  /** Whether its tokens have a role. */
  readonly roles: boolean;
  list(filter: TokenFilter): Promise<Token[]>;
  create(draft: TokenDraft): Promise<NewToken>;
  /** Where tokens can be replaced. */
  rotate?(id: number): Promise<NewToken>;
  revoke(id: number): Promise<unknown>;
}

export const tokenQuery = ({ search, state }: TokenFilter) => ({
  per_page: 100,
  sort: 'created_desc' as const,
  ...(search ? { search } : {}),
  ...(state === 'all' ? {} : { state }),
});
/** Without the role, which only tokens of places have. */
export const unrolled = ({ access_level: _, ...draft }: TokenDraft) => draft;

export const ownTokens = (userId: number | undefined): TokenSource => ({
  key: ['access-tokens'],
  roles: false,
  list: (filter) =>
    unwrap(
      client.GET('/personal_access_tokens', {
        params: { query: { ...tokenQuery(filter), ...(userId === undefined ? {} : { user_id: String(userId) }) } },
      }),
    ),
  create: (draft) => unwrap(client.POST('/user/personal_access_tokens', { body: unrolled(draft) })),
  rotate: (id) => unwrap(client.POST('/personal_access_tokens/{id}/rotate', { params: { path: { id } } })),
  revoke: (id) => unwrap(client.DELETE('/personal_access_tokens/{id}', { params: { path: { id } } })),
});

/** Tokens with which administrators act as somebody. */
export const impersonationTokens = (user_id: number): TokenSource => ({
  key: ['users', String(user_id), 'impersonation-tokens'],
  roles: false,
  list: async ({ search, state }) => {
    const query = { per_page: 100, state };
    const path = { user_id };
    const tokens = await unwrap(client.GET('/users/{user_id}/impersonation_tokens', { params: { path, query } }));
    return tokens.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  },
  create: (draft) =>
    unwrap(
      client.POST('/users/{user_id}/impersonation_tokens', { params: { path: { user_id } }, body: unrolled(draft) }),
    ),
  revoke: (impersonation_token_id) =>
    unwrap(
      client.DELETE('/users/{user_id}/impersonation_tokens/{impersonation_token_id}', {
        params: { path: { user_id, impersonation_token_id } },
      }),
    ),
});

export const projectTokens = (path: string): TokenSource => ({
  key: ['project', path, 'access-tokens'],
  roles: true,
  list: (filter) =>
    unwrap(client.GET('/projects/{id}/access_tokens', { params: { path: { id: path }, query: tokenQuery(filter) } })),
  create: (body) => unwrap(client.POST('/projects/{id}/access_tokens', { params: { path: { id: path } }, body })),
  rotate: (token_id) =>
    unwrap(client.POST('/projects/{id}/access_tokens/{token_id}/rotate', { params: { path: { id: path, token_id } } })),
  revoke: (token_id) =>
    unwrap(client.DELETE('/projects/{id}/access_tokens/{token_id}', { params: { path: { id: path, token_id } } })),
});

export const groupTokens = (path: string): TokenSource => ({
  key: ['group', path, 'access-tokens'],
  roles: true,
  list: (filter) =>
    unwrap(client.GET('/groups/{id}/access_tokens', { params: { path: { id: path }, query: tokenQuery(filter) } })),
  create: (body) => unwrap(client.POST('/groups/{id}/access_tokens', { params: { path: { id: path } }, body })),
  rotate: (token_id) =>
    unwrap(client.POST('/groups/{id}/access_tokens/{token_id}/rotate', { params: { path: { id: path, token_id } } })),
  revoke: (token_id) =>
    unwrap(client.DELETE('/groups/{id}/access_tokens/{token_id}', { params: { path: { id: path, token_id } } })),
});

export type DeployToken = Schemas['DeployToken'];

export interface DeployTokenDraft {
  readonly name: string;
  readonly username: string | null;
  readonly scopes: string[];
  readonly expires_at: string | null;
}

export interface DeployTokenSource {
  readonly key: readonly string[];
  list(): Promise<DeployToken[]>;
  create(draft: DeployTokenDraft): Promise<Schemas['NewDeployToken']>;
  revoke(id: number): Promise<unknown>;
}

const activeOnes = { active: true, per_page: 100 };

export const projectDeployTokens = (path: string): DeployTokenSource => ({
  key: ['project', path, 'deploy-tokens'],
  list: () =>
    unwrapAll(client.GET('/projects/{id}/deploy_tokens', { params: { path: { id: path }, query: activeOnes } })),
  create: (body) => unwrap(client.POST('/projects/{id}/deploy_tokens', { params: { path: { id: path } }, body })),
  revoke: (token_id) =>
    unwrap(client.DELETE('/projects/{id}/deploy_tokens/{token_id}', { params: { path: { id: path, token_id } } })),
});

export const groupDeployTokens = (path: string): DeployTokenSource => ({
  key: ['group', path, 'deploy-tokens'],
  list: () =>
    unwrapAll(client.GET('/groups/{id}/deploy_tokens', { params: { path: { id: path }, query: activeOnes } })),
  create: (body) => unwrap(client.POST('/groups/{id}/deploy_tokens', { params: { path: { id: path } }, body })),
  revoke: (token_id) =>
    unwrap(client.DELETE('/groups/{id}/deploy_tokens/{token_id}', { params: { path: { id: path, token_id } } })),
});
