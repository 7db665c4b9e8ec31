/** Routes of what people say they are doing. */
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User, UserStatus } from '../../../kernel/db/rows.ts';
import { Entity, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { IdOrPath, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { clearStatus, findStatus, findStatusOf, saveStatus } from './profile.queries.ts';

const Status = Entity('UserStatus', {
  emoji: Nullable(Text()),
  message: Nullable(Text()),
  availability: Nullable(Text({ description: '`not_set` or `busy`' })),
  message_html: Nullable(Text()),
  clear_status_at: Nullable(Timestamp()),
});

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

const view = (status: UserStatus | undefined): Static<typeof Status> => ({
  emoji: status?.emoji ?? null,
  message: status?.message ?? null,
  availability: status?.availability ?? null,
  message_html: status ? escaped(status.message ?? '') : '',
  clear_status_at: status?.clear_status_at ?? null,
});

const minutes = (count: number) => count * 60_000;
/** How long a status may be asked to last. */
const durations: Readonly<Record<string, number>> = {
  '30_minutes': minutes(30),
  '3_hours': minutes(180),
  '8_hours': minutes(480),
  '1_day': minutes(1440),
  '3_days': minutes(3 * 1440),
  '7_days': minutes(7 * 1440),
  '30_days': minutes(30 * 1440),
};
const words = ['30_minutes', '3_hours', '8_hours', '1_day', '3_days', '7_days', '30_days'] as const;
const defaultEmoji = 'speech_balloon';
const longestMessage = 100;

const parameters = Type.Object({
  emoji: Optional(OrNull(Str({ description: 'Name of an emoji' }))),
  message: Optional(OrNull(Str({ description: `At most ${longestMessage} characters` }))),
  availability: Optional(OrNull(OneOf(['not_set', 'busy'], { description: 'Whether the person is busy' }))),
  clear_status_after: Optional(OrNull(OneOf(words, { description: 'When it ends by itself' }))),
});
type Given = Static<typeof parameters>;

function check({ emoji, message }: Given): void {
  if ((message?.length ?? 0) > longestMessage)
    throw invalidRecord({ message: [`is too long (maximum is ${longestMessage} characters)`] });
  if (emoji && !/^[a-z0-9_+-]{1,100}$/.test(emoji)) throw invalidRecord({ emoji: ['is not a valid emoji name'] });
}

const common = { credentials: ['token', 'session'], tag: 'Users' } as const;
const own = { on: 'instance', ability: 'signed_in' } as const;
const reading = ['api', 'read_api', 'read_user'];

function selfOf(caller: Caller): User {
  if (!caller.user) throw unauthorized();
  return caller.user;
}

export function statusRoutes(db: Db): Route[] {
  /** Keeps what is given over what was there; nothing left means no status. */
  async function set(user: User, given: Given, before: UserStatus | undefined) {
    check(given);
    const emoji = given.emoji === undefined ? before?.emoji : given.emoji;
    const message = given.message === undefined ? before?.message : given.message;
    const availability = given.availability === undefined ? before?.availability : given.availability;
    if (!emoji && !message && (!availability || availability === 'not_set')) {
      await clearStatus(db, user.id);
      return view(undefined);
    }
    const after = given.clear_status_after;
    const until = after ? new Date(Date.now() + (durations[after] ?? 0)) : null;
    return view(
      await saveStatus(db, {
        user_id: user.id,
        emoji: emoji || defaultEmoji,
        message: message || null,
        availability: availability || 'not_set',
        clear_status_at: after === undefined ? (before?.clear_status_at ?? null) : until,
      }),
    );
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/user/status',
      summary: 'Get your status',
      scopes: reading,
      access: own,
      params: Type.Object({}),
      responses: { 200: Status },
      handler: async ({ caller }) => view(await findStatus(db, selfOf(caller).id)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/user/status',
      summary: 'Set your status; omitted fields are cleared',
      access: own,
      params: parameters,
      responses: { 200: Status },
      handler: ({ caller, params }) => set(selfOf(caller), params, undefined),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/user/status',
      summary: 'Update your status; omitted fields are kept',
      access: own,
      params: parameters,
      responses: { 200: Status },
      handler: async ({ caller, params }) => {
        const user = selfOf(caller);
        const before = await findStatus(db, user.id);
        return Object.keys(params).length === 0 ? view(before) : await set(user, params, before);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:user_id/status',
      summary: 'Get the status of a user',
      rate: 'user_status',
      scopes: reading,
      access: { on: 'public' },
      params: Type.Object({ user_id: IdOrPath('User, by id or name') }),
      responses: { 200: Status },
      handler: async ({ params }) => {
        const found = await findStatusOf(db, params.user_id);
        if (found === undefined) throw notFound('User');
        return view(found ?? undefined);
      },
    }),
  ];
}
