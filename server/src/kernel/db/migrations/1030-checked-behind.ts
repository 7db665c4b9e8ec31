/** How far the source branch was behind when the merge was tried: lists then say of which requests that they need a rebase. */
import type { Migration } from './index.ts';

const checkedBehind = `
alter table merge_requests add column checked_behind integer;
-- Tried before it was kept: they are tried again when somebody looks.
update merge_requests set merge_status = 'unchecked', checked_against = null
where state = 'opened' and merge_status = 'can_be_merged';
`;

export const checkedBehindMigration: Migration = { name: '1030-checked-behind', statements: [checkedBehind] };
