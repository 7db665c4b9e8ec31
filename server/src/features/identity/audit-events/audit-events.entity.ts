/** JSON of audit events. */
import type { Static } from 'typebox';
import type { AuditEvent } from '../../../kernel/db/rows.ts';
import { AnyJson, Entity, Id, MapOf, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { instanceEntityNames } from '../../../kernel/names.ts';

export const AuditEventEntity = Entity('AuditEvent', {
  id: Id(),
  author_id: Id({ description: '-1 where nobody was signed in: background work, the command line' }),
  author_name: Text(),
  entity_id: Id(),
  entity_type: Text({ description: '`User`, `Group`, `Project`, or the instance' }),
  event_name: Text(),
  details: MapOf(AnyJson(), { description: 'What changed, on what, by whom and from which address' }),
  created_at: Timestamp(),
});

/** Typed clients read these as texts; events keep a switch as true, a limit as a number. */
const texts = new Set(['from', 'to', 'with', 'add', 'as', 'change', 'remove', 'custom_message', 'failed_login']);

const toldOf = (details: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      key,
      texts.has(key) && typeof value !== 'string' && value !== null ? JSON.stringify(value) : value,
    ]),
  );

/** The system's own id as an author. */
const nobody = -1;

export function auditEvent(event: AuditEvent): Static<typeof AuditEventEntity> {
  return {
    id: event.id,
    author_id: event.author_id ?? nobody,
    author_name: event.author_name,
    entity_id: event.entity_id,
    // Clients of the ecosystem know the instance by their own name for it.
    entity_type: event.entity_type === 'Instance' ? instanceEntityNames[1] : event.entity_type,
    event_name: event.event,
    details: {
      ...toldOf(event.details as Record<string, unknown>),
      author_name: event.author_name,
      target_id: event.target_id,
      target_type: event.target_type,
      target_details: event.target_details,
      ip_address: event.ip_address,
      entity_path: event.entity_path,
    },
    created_at: event.created_at,
  };
}
