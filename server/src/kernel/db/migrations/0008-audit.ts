/** Administrators who act as somebody else in their own session; lists of audit events by author and by kind. */
import type { Migration } from './index.ts';

const statements = `
alter table sessions
  add column acting_as_id bigint references users (id) on delete set null,
  add column acting_since timestamptz(3),
  add constraint sessions_acting_as_other check (acting_as_id <> user_id);
create index sessions_acting_as on sessions (acting_as_id) where acting_as_id is not null;

create index audit_events_by on audit_events (author_id, id desc);
create index audit_events_kind on audit_events (entity_type, id desc);

create index users_locked on users (locked_until, id) where locked_until is not null;
create index users_two_factor on users (id) where two_factor_enabled;
`;

export const auditMigration: Migration = { name: '0008-audit', statements: [statements] };
