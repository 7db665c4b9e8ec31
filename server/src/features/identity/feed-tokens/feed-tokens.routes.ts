/** `/user/feed_token`: shown to its owner's pages only, and made anew there. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { Entity, Nullable, Text } from '../../../kernel/http/entity.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { FeedTokens } from './feed-tokens.service.ts';

const FeedToken = Entity('FeedToken', {
  feed_token: Nullable(Text({ description: 'Null until one is made' })),
});

const common = {
  // A token that leaked must not read another one.
  credentials: ['session'],
  tag: 'Users',
  access: { on: 'instance', ability: 'signed_in' },
} as const;

function selfOf(caller: Caller): User {
  if (!caller.user) throw unauthorized();
  return caller.user;
}

export function feedTokenRoutes(tokens: FeedTokens): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/user/feed_token',
      summary: 'Get your feed token',
      params: Type.Object({}),
      responses: { 200: FeedToken },
      handler: async ({ caller }) => ({ feed_token: await tokens.show(selfOf(caller).id) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/user/feed_token',
      summary: 'Reset your feed token; the previous one stops working',
      params: Type.Object({}),
      responses: { 201: FeedToken },
      handler: async (context) => ({ feed_token: await tokens.reset(selfOf(context.caller), originOf(context)) }),
    }),
  ];
}
