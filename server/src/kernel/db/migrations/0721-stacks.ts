/** Stacks: the commit that a request stands on after the one below was squashed, and entries of trains that stand on others. */
import type { Migration } from './index.ts';

const columns = `
-- Head of the request below, whose changes are in the target branch as other commits.
alter table merge_requests add column stack_base_sha text;
-- The entry leaves the train with that of the request below.
alter table merge_train_entries add column below_id bigint references merge_requests (id) on delete cascade;
create index merge_train_entries_below on merge_train_entries (below_id) where below_id is not null;
`;

export const stacksMigration: Migration = { name: '0721-stacks', statements: [columns] };
