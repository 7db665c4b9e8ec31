/** What few issues have, found without a look at all others; and the issues of a milestone by their ids. */
import type { Migration } from './index.ts';

const indexes = `
create index issues_project_type on issues (project_id, type, created_at, id) where type <> 'issue';
create index issues_type on issues (type, created_at, id) where type <> 'issue';
create index issues_project_health on issues (project_id, health_status, created_at, id) where health_status is not null;
create index issues_health on issues (health_status, created_at, id) where health_status is not null;
create index issues_all_confidential on issues (created_at, id) where confidential;
create index issues_milestone_id on issues (milestone_id, id) where milestone_id is not null;
`;

export const issueListIndexesMigration: Migration = { name: '1021-issue-list-indexes', statements: [indexes] };
