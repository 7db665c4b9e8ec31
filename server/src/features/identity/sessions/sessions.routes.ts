/** `/user/sessions`: where somebody is signed in, and ending it from afar. */
import Type from 'typebox';
import { type AuditOrigin, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { Entity, Flag, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { announceChange } from '../changes/index.ts';
import { userEntity } from '../users/index.ts';
import { endSessions, type ListedSession, listSessions } from './sessions.queries.ts';

export interface SessionRouteDependencies {
  readonly db: Db;
  readonly forget: () => void;
}

const ActiveSession = Entity('ActiveSession', {
  id: Id(),
  current: Flag({ description: 'The one that the request carries' }),
  ip_address: Nullable(Text()),
  user_agent: Nullable(Text()),
  remember: Flag(),
  impersonator: Nullable(Text({ description: 'Username of the administrator who acts as the caller in this session' })),
  created_at: Timestamp(),
  last_seen_at: Timestamp(),
  expires_at: Timestamp(),
});

const shown = (session: ListedSession, currentId: number) => ({
  id: session.id,
  current: session.id === currentId,
  ip_address: session.ip_address,
  user_agent: session.user_agent,
  remember: session.remember,
  impersonator: session.impersonator,
  created_at: session.created_at,
  last_seen_at: session.last_seen_at,
  expires_at: session.expires_at,
});

const common = {
  credentials: ['session'],
  tag: 'Sessions',
  access: { on: 'instance', ability: 'signed_in' },
} as const;

function holder({ user, credential }: Caller): { user: NonNullable<Caller['user']>; sessionId: number } {
  if (!user || credential.kind !== 'session') throw unauthorized();
  return { user, sessionId: credential.sessionId };
}

export function sessionRoutes({ db, forget }: SessionRouteDependencies): Route[] {
  const end = async (
    user: NonNullable<Caller['user']>,
    which: { id: number } | { exceptId: number },
    origin: AuditOrigin,
  ): Promise<number> => {
    const ended = await transaction(db, async (tx) => {
      const count = await endSessions(tx, user.id, which);
      if (count > 0) {
        const event = 'id' in which ? 'user_session_ended' : 'user_signed_out_elsewhere';
        await recordAudit(tx, { ...origin, entity: userEntity(user), event, details: { sessions: count } });
        await announceChange(tx);
      }
      return count;
    });
    forget();
    return ended;
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/user/sessions',
      summary: 'List your sessions',
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(ActiveSession) },
      handler: async ({ caller, page }) => {
        const { user, sessionId } = holder(caller);
        const sessions = await listSessions(db, user.id);
        return slicePage(
          page,
          sessions.map((session) => shown(session, sessionId)),
        );
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/user/sessions',
      summary: 'Revoke all your other sessions',
      conditional: 'No date stands in the way of ending a session.',
      params: Type.Object({}),
      responses: { 204: Empty },
      handler: async (context) => {
        const { user, sessionId } = holder(context.caller);
        await end(user, { exceptId: sessionId }, originOf(context));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/user/sessions/:session_id',
      summary: 'Revoke a session of yours',
      conditional: 'No date stands in the way of ending a session.',
      params: Type.Object({ session_id: Int({ description: 'As the list names it' }) }),
      responses: { 204: Empty },
      handler: async (context) => {
        const { user } = holder(context.caller);
        const ended = await end(user, { id: context.params.session_id }, originOf(context));
        if (ended === 0) throw notFound('Session');
      },
    }),
  ];
}
