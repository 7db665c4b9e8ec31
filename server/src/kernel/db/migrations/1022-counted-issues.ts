/** Issues are counted by state from an index alone, with what decides who sees them; labels are found by their title. */
import type { Migration } from './index.ts';

const counted = `
drop index issues_project_state;
create index issues_project_state on issues (project_id, state, created_at, id) include (confidential, author_id);
create index labels_title on labels (title);
`;

export const countedIssuesMigration: Migration = { name: '1022-counted-issues', statements: [counted] };
