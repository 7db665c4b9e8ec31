/** Confidential issues of a project are few of many and asked for by their flag. */
import type { Migration } from './index.ts';

export const confidentialIssuesMigration: Migration = {
  name: '0917-confidential-issues',
  statements: ['create index issues_confidential on issues (project_id, created_at, id) where confidential'],
};
