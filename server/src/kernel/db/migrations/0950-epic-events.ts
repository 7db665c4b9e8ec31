/** Events of groups: those of epics and of comments on them. */
import type { Migration } from './index.ts';

const events = `
alter table events
  alter column project_id drop not null,
  add column namespace_id bigint references namespaces (id) on delete cascade,
  add column epic_id bigint references epics (id) on delete cascade,
  drop constraint events_target_type_check,
  add constraint events_target_type_check
    check (target_type in ('merge_request', 'wiki_page', 'note', 'milestone', 'issue', 'epic')),
  add check (num_nonnulls(project_id, namespace_id) = 1),
  add check ((target_type is not distinct from 'epic') = (epic_id is not null));
create index events_namespace on events (namespace_id, created_at, id) where namespace_id is not null;
create index events_epic on events (epic_id) where epic_id is not null;
`;

export const epicEventsMigration: Migration = { name: '0950-epic-events', statements: [events] };
