/** Routes by which administrators take access from accounts and give it back. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { Entity, Flag, Nullable, Text } from '../../../kernel/http/entity.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Removal } from '../removal/index.ts';
import type { Moderation } from './moderation.service.ts';

const common = {
  method: 'POST',
  credentials: ['token', 'session'],
  tag: 'Users',
  access: { on: 'instance', ability: 'admin' },
  params: Type.Object({ id: Int({ description: 'User' }) }),
} as const;

const Success = Entity('Success', { message: Text() });
/** Clients compare the whole body: true when the state changed, false or null when it did not. */
const Changed = Nullable(Flag({ description: 'Whether the state changed; null when it was so already' }));

const plain = [
  ['block', 'Block a user'],
  ['unblock', 'Unblock a user'],
  ['ban', 'Ban a user'],
  ['unban', 'Unban a user'],
  ['deactivate', 'Deactivate an inactive user'],
  ['activate', 'Activate a deactivated user'],
] as const;

export function moderationRoutes(moderation: Moderation, removal: Removal): Route[] {
  return [
    ...plain.map(([action, summary]) =>
      route({
        ...common,
        path: `/users/:id/${action}`,
        summary,
        responses: { 201: Changed },
        handler: (context) => moderation.run(action, context.params.id, originOf(context)),
      }),
    ),
    route({
      ...common,
      // The ecosystem has this on its pages alone.
      credentials: ['session'],
      path: '/users/:id/unlock',
      summary: 'Unlock a user after too many failed sign-ins',
      responses: { 201: Changed },
      handler: (context) => moderation.unlock(context.params.id, originOf(context)),
    }),
    route({
      ...common,
      path: '/users/:id/approve',
      summary: 'Approve a user who is pending approval',
      responses: { 201: Success },
      errors: [409],
      handler: async (context) => {
        await moderation.run('approve', context.params.id, originOf(context));
        return { message: 'Success' };
      },
    }),
    route({
      ...common,
      path: '/users/:id/reject',
      summary: 'Reject a user who is pending approval; the account is deleted',
      responses: { 200: Success },
      errors: [409],
      handler: async (context) => {
        await removal.reject(context.params.id, originOf(context));
        return { message: 'Success' };
      },
    }),
  ];
}
