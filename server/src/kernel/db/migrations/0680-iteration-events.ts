/** History of the iterations of issues. */
import type { Migration } from './index.ts';

const kinds = `
alter table resource_events drop constraint resource_events_kind_check;
alter table resource_events add constraint resource_events_kind_check
  check (kind in ('label', 'milestone', 'state', 'weight', 'iteration'));
alter table resource_events drop constraint resource_events_check;
alter table resource_events add constraint resource_events_kind_action_check
  check ((kind in ('label', 'milestone', 'iteration')) = (action is not null));
alter table resource_events add column iteration_id bigint references iterations (id) on delete cascade;
create index resource_events_iteration on resource_events (iteration_id) where iteration_id is not null;
`;

export const iterationEventsMigration: Migration = { name: '0680-iteration-events', statements: [kinds] };
