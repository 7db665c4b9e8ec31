/** What people say about issues and epics goes with them. */
import type { Migration } from './index.ts';

const belongings = `
create trigger issues_belongings after delete on issues referencing old table as gone
  for each statement execute function remove_belongings('issue');
create trigger epics_belongings after delete on epics referencing old table as gone
  for each statement execute function remove_belongings('epic');
`;

export const discussedIssuesMigration: Migration = { name: '0221-discussed-issues', statements: [belongings] };
