/** The route by which administrators remove accounts. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Bool, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser } from '../users/index.ts';
import type { Removal } from './removal.service.ts';

export function removalRoutes(db: Db, removal: Removal): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/users/:id',
      summary: 'Delete a user',
      credentials: ['token', 'session'],
      tag: 'Users',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({
        id: Int({ description: 'User' }),
        hard_delete: Optional(
          Bool({ description: 'Also what the user wrote, and groups that nobody else owns, instead of keeping them' }),
        ),
      }),
      responses: { 204: Empty },
      errors: [409],
      conditional: true,
      handler: async (context) => {
        const user = await findUser(db, context.params.id);
        if (!user) throw notFound('User');
        context.unmodifiedSince(user.updated_at);
        await removal.remove(user.id, context.params.hard_delete ?? false, originOf(context));
      },
    }),
  ];
}
