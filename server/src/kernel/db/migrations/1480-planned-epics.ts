/** Time, health and locked discussions of epics. */
import type { Migration } from './index.ts';

const statements = [
  `alter table epics
    add column time_estimate bigint not null default 0,
    add column time_spent bigint not null default 0,
    add column discussion_locked boolean not null default false,
    add column health_status text check (health_status in ('on_track', 'needs_attention', 'at_risk'))`,
  `alter table time_entries
    add column epic_id bigint references epics (id) on delete cascade,
    drop constraint time_entries_check,
    add constraint time_entries_check check (num_nonnulls(issue_id, merge_request_id, epic_id) = 1)`,
  'create index time_entries_epic on time_entries (epic_id, id) where epic_id is not null',
];

export const plannedEpicsMigration: Migration = { name: '1480-planned-epics', statements };
