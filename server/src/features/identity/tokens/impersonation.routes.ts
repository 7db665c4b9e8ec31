/** Routes of impersonation tokens: made by administrators, act as their user, not shown to them. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Int, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser } from '../users/index.ts';
import { ImpersonationToken, NewImpersonationToken, personalAccessToken } from './tokens.entity.ts';
import { newTokenParameters } from './tokens.params.ts';
import { countTokens, findToken, listTokens } from './tokens.queries.ts';
import type { TokenRouteDependencies } from './tokens.routes.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Impersonation tokens',
  access: { on: 'instance', ability: 'admin' },
} as const;
const user = { user_id: Int({ description: 'Id of the user' }) };
const one = { ...user, impersonation_token_id: Int({ description: 'Id of the token' }) };
const base = '/users/:user_id/impersonation_tokens';

const json = (token: Parameters<typeof personalAccessToken>[0]) => ({
  ...personalAccessToken(token),
  impersonation: true,
});

export function impersonationRoutes({ db, tokens }: TokenRouteDependencies): Route[] {
  async function find(userId: number): Promise<User> {
    const found = await findUser(db, userId);
    if (!found) throw notFound('User');
    return found;
  }
  async function findOf({ user_id, impersonation_token_id }: { user_id: number; impersonation_token_id: number }) {
    const { id } = await find(user_id);
    const token = await findToken(db, impersonation_token_id);
    if (token?.kind !== 'impersonation' || token.user_id !== id) throw notFound('Impersonation Token');
    return token;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List impersonation tokens of a user',
      params: Type.Object({
        ...user,
        state: Optional(
          OneOf(['all', 'active', 'inactive'], {
            default: 'all',
            description: 'Only active tokens, or only those that are not',
          }),
        ),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(ImpersonationToken) },
      handler: async ({ params, page }) => {
        const { id } = await find(params.user_id);
        const state = params.state === 'all' ? undefined : params.state;
        const filter = { kinds: ['impersonation'], user_id: id, state } as const;
        const rows = await listTokens(db, filter, undefined, page);
        return mapPage(offsetPage(page, rows, await countTokens(db, filter)), json);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${base}/:impersonation_token_id`,
      summary: 'Get an impersonation token of a user',
      params: Type.Object(one),
      responses: { 200: ImpersonationToken },
      handler: async ({ params }) => json(await findOf(params)),
    }),
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Create an impersonation token for a user; 400 where impersonation is disabled',
      params: Type.Object({ ...user, ...newTokenParameters }),
      responses: { 201: NewImpersonationToken },
      errors: [422],
      handler: async (context) => {
        const { params, caller } = context;
        const { row, secret } = await tokens.issue({
          kind: 'impersonation',
          user: await find(params.user_id),
          name: params.name,
          description: params.description,
          scopes: params.scopes,
          byAdministrator: true,
          expiresAt: await tokens.expiry(params.expires_at),
          createdById: caller.user?.id ?? null,
          origin: originOf(context),
        });
        return { ...json(row), token: secret };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:impersonation_token_id`,
      summary: 'Revoke an impersonation token of a user',
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const token = await findOf(context.params);
        context.unmodifiedSince(token.created_at);
        await tokens.revoke(token.id, originOf(context));
      },
    }),
  ];
}
