/** Labels and milestones of merge requests, and milestones of releases. */
import type { Migration } from './index.ts';

const planned = `
create table merge_request_labels (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (merge_request_id, label_id)
);
create index merge_request_labels_label on merge_request_labels (label_id, merge_request_id);

alter table merge_requests add column milestone_id bigint references milestones (id) on delete set null;
create index merge_requests_milestone on merge_requests (milestone_id, created_at, id) where milestone_id is not null;

create table release_milestones (
  release_id bigint not null references releases (id) on delete cascade,
  milestone_id bigint not null references milestones (id) on delete cascade,
  primary key (release_id, milestone_id)
);
create index release_milestones_milestone on release_milestones (milestone_id, release_id);
`;

export const plannedMigration: Migration = { name: '0046-planned', statements: [planned] };
