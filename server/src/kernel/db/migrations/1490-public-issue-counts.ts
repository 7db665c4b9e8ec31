/** The number of open issues that a project shows everybody leaves confidential ones out. */
import type { Migration } from './index.ts';

const recount = `
update projects p set open_issues_count = greatest(0, p.open_issues_count - c.hidden)
from (select project_id, count(*)::int as hidden from issues where state = 'opened' and confidential group by 1) c
where c.project_id = p.id
`;

export const publicIssueCountsMigration: Migration = { name: '1490-public-issue-counts', statements: [recount] };
