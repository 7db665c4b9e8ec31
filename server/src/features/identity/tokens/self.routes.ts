/** Routes of the token that the request carries, of whatever kind it is. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { badRequest, methodNotAllowed, unauthorized } from '../../../kernel/http/errors.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { allScopes, rotatingScopes } from './scopes.ts';
import { NewPersonalAccessToken, PersonalAccessToken, personalAccessToken } from './tokens.entity.ts';
import { rotationParameters } from './tokens.params.ts';
import { findToken } from './tokens.queries.ts';
import type { TokenRouteDependencies } from './tokens.routes.ts';

const common = {
  credentials: ['token'],
  tag: 'Personal access tokens',
  access: { on: 'instance', ability: 'signed_in' },
} as const;

function ownToken(caller: Caller) {
  if (caller.credential.kind !== 'token')
    throw badRequest('This endpoint requires token type to be a personal access token');
  return caller.credential;
}

export function selfRoutes({ db, tokens }: TokenRouteDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/personal_access_tokens/self',
      summary: 'Get the token that the request uses',
      scopes: allScopes,
      params: Type.Object({}),
      responses: { 200: PersonalAccessToken },
      handler: async ({ caller }) => {
        const token = await findToken(db, ownToken(caller).tokenId);
        if (!token) throw unauthorized();
        return personalAccessToken(token);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/personal_access_tokens/self/rotate',
      summary: 'Rotate the token that the request uses',
      scopes: rotatingScopes,
      rotatesToken: true,
      errors: [405, 422],
      params: Type.Object(rotationParameters),
      responses: { 200: NewPersonalAccessToken },
      handler: async (context) => {
        const own = ownToken(context.caller);
        if (own.tokenKind !== 'personal') throw methodNotAllowed([], 'state');
        const { row, secret } = await tokens.rotate(own.tokenId, {
          expiresAt: context.params.expires_at,
          origin: originOf(context),
        });
        return { ...personalAccessToken(row), token: secret };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/personal_access_tokens/self',
      summary: 'Revoke the token that the request uses',
      scopes: allScopes,
      params: Type.Object({}),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { tokenId } = ownToken(context.caller);
        context.unmodifiedSince((await findToken(db, tokenId))?.created_at ?? null);
        await tokens.revoke(tokenId, originOf(context));
      },
    }),
  ];
}
