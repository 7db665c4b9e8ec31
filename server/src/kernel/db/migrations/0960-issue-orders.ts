/** Orders of lists of issues: each walks along an index, those without a value included. */
import type { Migration } from './index.ts';

const orders = `
drop index issues_project_due, issues_project_weight, issues_project_position;
create index issues_project_due on issues (project_id, due_date, id);
create index issues_project_weight on issues (project_id, weight, id);
create index issues_project_position on issues (project_id, relative_position, id);
create index issues_project_title on issues (project_id, lower(title), id);
create index issues_due on issues (due_date, id) where due_date is not null;
create index issues_weight on issues (weight, id) where weight is not null;
create index issues_title on issues (lower(title), id);
`;

export const issueOrdersMigration: Migration = { name: '0960-issue-orders', statements: [orders] };
