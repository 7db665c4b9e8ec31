/** Routes of broadcast messages: everybody reads them, administrators look after them. */
import Type from 'typebox';
import { auditedValue, instanceEntity, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import {
  Bool,
  DateTimeParam,
  Int,
  IntOf,
  List,
  OneOf,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { BroadcastMessage, broadcastMessageJson, broadcastTypes, themes } from './broadcast-messages.entity.ts';
import * as queries from './broadcast-messages.queries.ts';

const common = { credentials: ['token', 'session'], tag: 'Broadcast messages' } as const;
const everybody = { on: 'public' } as const;
const admin = { on: 'instance', ability: 'admin' } as const;
const one = { id: Int({ description: 'Id of the message' }) };
const hour = 3_600_000;

const message = Str({
  minLength: 1,
  maxLength: 10_000,
  description: 'Text; `[words](https://...)` and addresses become links',
});
const color = (description: string) => Optional(Str({ pattern: '^#[0-9A-Fa-f]{3,8}$', description }));
const attributes = {
  starts_at: Optional(DateTimeParam({ description: 'When it begins to be shown; now without it' })),
  ends_at: Optional(DateTimeParam({ description: 'When it is no longer shown; an hour from now without it' })),
  color: color('Background, for clients that show it: `#E75E40`'),
  font: color('Foreground, for clients that show it: `#FFFFFF`'),
  target_access_levels: Optional(
    List(IntOf([10, 15, 20, 30, 40, 50]), {
      commas: true,
      description: 'Shown on pages of projects in which the reader has one of these roles; everywhere without any',
    }),
  ),
  target_path: Optional(
    OrNull(Str({ maxLength: 255, description: 'Only on pages below this path; `*` stands for anything' })),
  ),
  broadcast_type: Optional(
    OneOf(broadcastTypes, { description: 'A banner above the page, or a notification in its corner' }),
  ),
  theme: Optional(OneOf(themes, { description: 'Colors of a banner on the pages' })),
  dismissable: Optional(Bool({ description: 'Whether users can close it' })),
};

interface Given {
  readonly message?: string;
  readonly starts_at?: Date;
  readonly ends_at?: Date;
  readonly target_path?: string | null;
}

/** The values as they are kept. */
function checked<T extends Given>(values: T): T {
  if (values.message?.trim() === '') throw invalidRecord({ message: ["can't be blank"] });
  const target = values.target_path?.trim();
  return target === undefined ? values : { ...values, target_path: target === '' ? null : target };
}

export function broadcastMessageRoutes(db: Db): Route[] {
  const audited = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, auditedValue(value)]));
  const find = async (id: number) => {
    const row = await queries.findMessage(db, id);
    if (!row) throw notFound();
    return row;
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/broadcast_messages',
      summary: 'List broadcast messages, newest first',
      access: everybody,
      params: Type.Object({ active: Optional(Bool({ description: 'Only those that are shown now' })) }),
      pagination: 'offset',
      responses: { 200: ListOf(BroadcastMessage) },
      handler: async ({ params, page }) => {
        const { rows, total } = await queries.listMessages(db, page, params.active === true);
        return mapPage(offsetPage(page, rows, total), (row) => broadcastMessageJson(row));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/broadcast_messages/:id',
      summary: 'Get a broadcast message',
      access: everybody,
      params: Type.Object(one),
      responses: { 200: BroadcastMessage },
      handler: async ({ params }) => broadcastMessageJson(await find(params.id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/broadcast_messages',
      summary: 'Create a broadcast message',
      access: admin,
      params: Type.Object({ message, ...attributes }),
      responses: { 201: BroadcastMessage },
      handler: async (context) => {
        const now = Date.now();
        const values = {
          ...{ starts_at: new Date(now), ends_at: new Date(now + hour), color: '#E75E40', font: '#FFFFFF' },
          ...({ broadcast_type: 'banner', theme: 'indigo' } as const),
          ...checked(context.params),
        };
        const row = await transaction(db, async (tx) => {
          const made = await queries.insertMessage(tx, values);
          const details = { id: made.id, ...audited(values) };
          await recordAudit(tx, {
            ...originOf(context),
            entity: instanceEntity,
            event: 'broadcast_message_created',
            details,
          });
          return made;
        });
        return broadcastMessageJson(row);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/broadcast_messages/:id',
      summary: 'Update a broadcast message',
      access: admin,
      params: Type.Object({ ...one, message: Optional(message), ...attributes }),
      responses: { 200: BroadcastMessage },
      handler: async (context) => {
        const { id, ...given } = context.params;
        const values = checked(given);
        const row = await transaction(db, async (tx) => {
          const changed = await queries.updateMessage(tx, id, values);
          if (!changed) throw notFound();
          const details = { id, ...audited(values) };
          await recordAudit(tx, {
            ...originOf(context),
            entity: instanceEntity,
            event: 'broadcast_message_updated',
            details,
          });
          return changed;
        });
        return broadcastMessageJson(row);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/broadcast_messages/:id',
      summary: 'Delete a broadcast message',
      access: admin,
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const found = await find(context.params.id);
        context.unmodifiedSince(found.updated_at);
        await transaction(db, async (tx) => {
          if (!(await queries.deleteMessage(tx, found.id))) throw notFound();
          const details = { id: found.id, message: auditedValue(found.message) };
          await recordAudit(tx, {
            ...originOf(context),
            entity: instanceEntity,
            event: 'broadcast_message_deleted',
            details,
          });
        });
        return answer(204, undefined);
      },
    }),
  ];
}
