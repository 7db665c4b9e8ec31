/** Who has requested changes of a merge request, and whether the request may be merged despite them. */
import type { Migration } from './index.ts';

const requestedChanges = `
create table merge_request_requested_changes (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (merge_request_id, user_id)
);
create index merge_request_requested_changes_user on merge_request_requested_changes (user_id);

alter table merge_requests add column override_requested_changes boolean not null default false;
`;

export const requestedChangesMigration: Migration = {
  name: '0580-requested-changes',
  statements: [requestedChanges],
};
