/** Routes of personal access tokens. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, invalidParameters, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { DateParam, Int, List, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser, findUserByUsername } from '../users/index.ts';
import { NewPersonalAccessToken, PersonalAccessToken, personalAccessToken } from './tokens.entity.ts';
import { newTokenParameters, rotationParameters, tokenFilters } from './tokens.params.ts';
import { countTokens, findToken, listTokens } from './tokens.queries.ts';
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

const ownLifetimeDays = 1;
/** What a token may ask for when it makes another one for its owner. */
const ownScopes: readonly string[] = ['k8s_proxy', 'self_rotate'];

/** Those that the lists of personal tokens show; tokens of bots are among them for administrators and the bots. */
const shownKinds = ['personal', 'project', 'group'] as const;

const shown = ({ row, secret }: IssuedToken) => ({ ...personalAccessToken(row), token: secret });

export function tokenRoutes({ db, tokens }: TokenRouteDependencies): Route[] {
  const ofCaller = async (id: number, caller: Caller) => {
    const token = await findToken(db, id);
    if (!token || token.kind === 'impersonation') return null;
    return caller.admin || token.user_id === caller.user?.id ? token : null;
  };
  // Clients of the ecosystem know 401 for tokens that are not their own, whether they exist or not.
  const missing = (caller: Caller) => (caller.admin ? notFound('Personal Access Token') : unauthorized());

  async function ownerOf(given: string | undefined, caller: Caller): Promise<number | undefined> {
    const self = caller.user?.id;
    if (given === undefined) return caller.admin ? undefined : self;
    const id = /^\d{1,15}$/.test(given) ? Number(given) : ((await findUserByUsername(db, given))?.id ?? 0);
    if (!caller.admin && id !== self) throw unauthorized();
    return id;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/personal_access_tokens',
      summary: 'List personal access tokens: your own, or all for administrators',
      params: Type.Object({ user_id: Optional(Str({ description: 'Id or username' })), ...tokenFilters }),
      pagination: 'offset',
      responses: { 200: ListOf(PersonalAccessToken) },
      handler: async ({ params, page, caller }) => {
        const { sort, user_id, ...filter } = params;
        const all = { ...filter, kinds: shownKinds, user_id: await ownerOf(user_id, caller) };
        const [rows, total] = await Promise.all([listTokens(db, all, sort, page), countTokens(db, all)]);
        return mapPage(offsetPage(page, rows, total), personalAccessToken);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/personal_access_tokens/:id',
      summary: 'Get a personal access token',
      params: Type.Object({ id: Int({ description: 'Id of the token' }) }),
      responses: { 200: PersonalAccessToken },
      handler: async ({ params, caller }) => {
        const token = await ofCaller(params.id, caller);
        if (!token) throw missing(caller);
        return personalAccessToken(token);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/personal_access_tokens/:id/rotate',
      summary: 'Rotate a personal access token',
      params: Type.Object({ id: Int({ description: 'Id of the token' }), ...rotationParameters }),
      responses: { 200: NewPersonalAccessToken },
      errors: [422],
      handler: async (context) => {
        const token = await ofCaller(context.params.id, context.caller);
        if (!token) throw missing(context.caller);
        // A bot's tokens are rotated where they belong: there the caller's role is compared with theirs.
        if (token.kind !== 'personal' && !context.caller.admin) throw unauthorized();
        return shown(
          await tokens.rotate(token.id, { expiresAt: context.params.expires_at, origin: originOf(context) }),
        );
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
      handler: async (context) => {
        const token = await ofCaller(context.params.id, context.caller);
        if (!token) throw notFound();
        context.unmodifiedSince(token.created_at);
        await tokens.revoke(token.id, originOf(context));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/user/personal_access_tokens',
      summary: 'Create a short-lived personal access token for yourself',
      params: Type.Object({
        ...newTokenParameters,
        scopes: List(Str(), {
          commas: true,
          description: `A token may only ask for ${ownScopes.join(' and ')}; a browser session for every scope`,
        }),
        expires_at: Optional(OrNull(DateParam({ description: 'The end of today unless given' }))),
      }),
      responses: { 201: NewPersonalAccessToken },
      errors: [422],
      handler: async (context) => {
        const { params, caller } = context;
        if (!caller.user) throw unauthorized();
        // A bot has the tokens of its place and no others: it must not outlive them.
        if (caller.user.user_type !== 'human') throw forbidden();
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
            expiresAt: await tokens.expiry(params.expires_at ?? inDays(ownLifetimeDays)),
            createdById: caller.user.id,
            origin: originOf(context),
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
      params: Type.Object({ user_id: Int({ description: 'Id of the user' }), ...newTokenParameters }),
      responses: { 201: NewPersonalAccessToken },
      errors: [422],
      handler: async (context) => {
        const { params, caller } = context;
        const user = await findUser(db, params.user_id);
        if (!user) throw notFound('User');
        return shown(
          await tokens.issue({
            user,
            name: params.name,
            description: params.description,
            scopes: params.scopes,
            byAdministrator: true,
            expiresAt: await tokens.expiry(params.expires_at, user),
            createdById: caller.user?.id ?? null,
            origin: originOf(context),
          }),
        );
      },
    }),
  ];
}
