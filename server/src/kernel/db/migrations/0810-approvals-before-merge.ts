/** The number of approvals that one merge request asks for, above what its project says. */
import type { Migration } from './index.ts';

const columns = `
alter table merge_requests add column approvals_before_merge integer check (approvals_before_merge >= 0);
`;

export const approvalsBeforeMergeMigration: Migration = {
  name: '0810-approvals-before-merge',
  statements: [columns],
};
