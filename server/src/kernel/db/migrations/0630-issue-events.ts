/** Events of issues. */
import type { Migration } from './index.ts';

const events = `
alter table events
  drop constraint events_target_type_check,
  add constraint events_target_type_check
    check (target_type in ('merge_request', 'wiki_page', 'note', 'milestone', 'issue')),
  add column issue_id bigint references issues (id) on delete cascade,
  add check ((target_type is not distinct from 'issue') = (issue_id is not null));
create index events_issue on events (issue_id) where issue_id is not null;
`;

export const issueEventsMigration: Migration = { name: '0630-issue-events', statements: [events] };
