/** JSON of calls of webhooks. */
import type { Static } from 'typebox';
import type { WebHookCall } from '../../../kernel/db/rows.ts';
import { AnyJson, Count, Decimal, Entity, Id, MapOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';

export const HookCallEntity = Entity('WebHookEvent', {
  id: Id(),
  url: Text({ description: 'Masked parts are `{key}`' }),
  trigger: Text({ description: 'What it told of: `push_hooks`' }),
  request_headers: MapOf(Text(), { description: 'Secret values are `[REDACTED]`' }),
  request_data: AnyJson({ description: 'What it was told, before a template of its own' }),
  response_headers: MapOf(Text()),
  response_body: Nullable(Text({ description: 'At most 8 KB; why it failed, where nobody answered' })),
  execution_duration: Decimal({ description: 'Seconds' }),
  response_status: Text({ description: 'A code of HTTP, or `internal error` where nobody answered' }),
  created_at: Timestamp(),
});

export const ResentEntity = Entity('ResentWebHookEvent', {
  response_status: Count({ description: 'What the receiver answered' }),
});

export const hookCallJson = (call: WebHookCall): Static<typeof HookCallEntity> => ({
  id: call.id,
  url: call.url,
  trigger: call.trigger,
  request_headers: (call.request_headers ?? {}) as Record<string, string>,
  request_data: JSON.parse(call.payload) as unknown,
  response_headers: (call.response_headers ?? {}) as Record<string, string>,
  response_body: call.response_body,
  execution_duration: call.duration ?? 0,
  response_status: call.response_code === null ? 'internal error' : String(call.response_code),
  created_at: call.created_at,
});
