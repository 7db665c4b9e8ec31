/** Routes of personal access tokens. */
import Type from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, invalidParameters, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, DateParam, DateTimeParam, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser } from '../users/index.ts';
import { allScopes } from './scopes.ts';
import { NewPersonalAccessToken, PersonalAccessToken, personalAccessToken } from './tokens.entity.ts';
import { countTokens, findToken, listTokens, tokenSorts } from './tokens.queries.ts';
import { type IssuedToken, inDays, type Tokens } from './tokens.service.ts';

export interface TokenRouteDependencies {
  readonly db: Db;
  readonly tokens: Tokens;
}

const common = {
  credentials: ['token', 'session'],
  tag: 'Personal access tokens',
  access: { on: 'instance', ability: 'signed_in' },
} as const;

/** Days until a token expires when its maker names no date. */
const defaultLifetimeDays = 365;
const ownLifetimeDays = 1;
/** What a token may ask for when it makes another one for its owner. */
const ownScopes: readonly string[] = ['k8s_proxy', 'self_rotate'];

function ownTokenId(caller: Caller): number {
  if (caller.credential.kind !== 'token')
    throw badRequest('This endpoint requires token type to be a personal access token');
  return caller.credential.tokenId;
}

const shown = ({ row, secret }: IssuedToken) => ({ ...personalAccessToken(row), token: secret });

export function tokenRoutes({ db, tokens }: TokenRouteDependencies): Route[] {
  const ofCaller = async (id: number, caller: Caller) => {
    const token = await findToken(db, id);
    if (token?.kind !== 'personal') return null;
    return caller.admin || token.user_id === caller.user?.id ? token : null;
  };

  return [
    route({
      ...common,
      method: 'GET',
      path: '/personal_access_tokens',
      summary: 'Personal access tokens: the caller’s, for administrators everybody’s',
      params: Type.Object({
        user_id: Optional(Int({ description: 'Id of the user' })),
        revoked: Optional(Bool({ description: 'Only revoked tokens, or only those that are not' })),
        state: Optional(
          OneOf(['active', 'inactive'], { description: 'Only active tokens, or only those that are not' }),
        ),
        search: Optional(Str({ description: 'In the name' })),
        created_after: Optional(DateTimeParam({ description: 'Only those created at or after this time' })),
        created_before: Optional(DateTimeParam({ description: 'Only those created at or before this time' })),
        last_used_after: Optional(DateTimeParam({ description: 'Only those used at or after this time' })),
        last_used_before: Optional(DateTimeParam({ description: 'Only those used at or before this time' })),
        expires_after: Optional(DateParam({ description: 'Only those that expire after this day' })),
        expires_before: Optional(DateParam({ description: 'Only those that expire before this day' })),
        sort: Optional(OneOf(tokenSorts, { description: 'Direction of the order' })),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(PersonalAccessToken) },
      handler: async ({ params, page, caller }) => {
        const { sort, ...filter } = params;
        const self = caller.user?.id;
        if (!caller.admin && filter.user_id !== undefined && filter.user_id !== self) throw unauthorized();
        const own = caller.admin ? filter : { ...filter, user_id: self };
        const [rows, total] = await Promise.all([listTokens(db, own, sort, page), countTokens(db, own)]);
        return mapPage(offsetPage(page, rows, total), personalAccessToken);
      },
    }),
    route({
      ...common,
      credentials: ['token'],
      method: 'GET',
      path: '/personal_access_tokens/self',
      summary: 'The token that the request carries',
      scopes: allScopes,
      params: Type.Object({}),
      responses: { 200: PersonalAccessToken },
      handler: async ({ caller }) => {
        const token = await findToken(db, ownTokenId(caller));
        if (!token) throw unauthorized();
        return personalAccessToken(token);
      },
    }),
    route({
      ...common,
      credentials: ['token'],
      method: 'DELETE',
      path: '/personal_access_tokens/self',
      summary: 'Revoke the token that the request carries',
      scopes: allScopes,
      params: Type.Object({}),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ caller, unmodifiedSince }) => {
        const id = ownTokenId(caller);
        unmodifiedSince((await findToken(db, id))?.created_at ?? null);
        await tokens.revoke(id);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/personal_access_tokens/:id',
      summary: 'A personal access token',
      params: Type.Object({ id: Int({ description: 'Id of the token' }) }),
      responses: { 200: PersonalAccessToken },
      handler: async ({ params, caller }) => {
        const token = await ofCaller(params.id, caller);
        // Clients of the ecosystem know 401 here for tokens that are not their own, whether they exist or not.
        if (!token) throw caller.admin ? notFound('Personal Access Token') : unauthorized();
        return personalAccessToken(token);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/personal_access_tokens/:id',
      summary: 'Revoke a personal access token',
      params: Type.Object({ id: Int({ description: 'Id of the token' }) }),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, caller, unmodifiedSince }) => {
        const token = await ofCaller(params.id, caller);
        if (!token) throw notFound();
        unmodifiedSince(token.created_at);
        await tokens.revoke(token.id);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/user/personal_access_tokens',
      summary: 'Create a short-lived token for oneself',
      params: Type.Object({
        name: Str({ description: 'Name of the token' }),
        description: Optional(Str({ maxLength: 255, description: 'What the token is for' })),
        scopes: List(Str(), {
          commas: true,
          description: `A token may only ask for ${ownScopes.join(' and ')}; a browser session for every scope`,
        }),
        expires_at: Optional(DateParam({ description: 'The end of today unless given' })),
      }),
      responses: { 201: NewPersonalAccessToken },
      errors: [422],
      handler: async ({ params, caller }) => {
        if (!caller.user) throw unauthorized();
        // A token must not make a stronger one; whoever signed in with a password may.
        const limited = caller.credential.kind !== 'session';
        if (limited && params.scopes.some((scope) => !ownScopes.includes(scope)))
          throw invalidParameters(['scopes does not have a valid value']);
        return shown(
          await tokens.issue({
            user: caller.user,
            name: params.name,
            description: params.description,
            scopes: params.scopes,
            expiresAt: params.expires_at ?? inDays(ownLifetimeDays),
            createdById: caller.user.id,
          }),
        );
      },
    }),
    route({
      ...common,
      access: { on: 'instance', ability: 'admin' },
      method: 'POST',
      path: '/users/:user_id/personal_access_tokens',
      summary: 'Create a personal access token for a user',
      params: Type.Object({
        user_id: Int({ description: 'Id of the user' }),
        name: Str({ description: 'Name of the token' }),
        description: Optional(Str({ maxLength: 255, description: 'What the token is for' })),
        scopes: List(Str(), { commas: true, description: 'What the token may be used for' }),
        expires_at: Optional(DateParam({ description: `${defaultLifetimeDays} days from today unless given` })),
      }),
      responses: { 201: NewPersonalAccessToken },
      errors: [422],
      handler: async ({ params, caller }) => {
        const user = await findUser(db, params.user_id);
        if (!user) throw notFound('User');
        return shown(
          await tokens.issue({
            user,
            name: params.name,
            description: params.description,
            scopes: params.scopes,
            expiresAt: params.expires_at ?? inDays(defaultLifetimeDays),
            createdById: caller.user?.id ?? null,
          }),
        );
      },
    }),
  ];
}
