/** One event for a push of many branches or tags, in place of one for each. */
import type { Migration } from './index.ts';

const events = `
alter table events
  drop constraint events_check2,
  add column ref_count integer check (ref_count > 0),
  add constraint events_push check (num_nulls(push_action, ref_type, commit_count) in (0, 3)),
  add constraint events_push_ref check (num_nonnulls(ref, ref_count) = num_nonnulls(push_action));
`;

export const pushSummariesMigration: Migration = { name: '0047-push-summaries', statements: [events] };
