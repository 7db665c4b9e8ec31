/** Issues of one author in one project: neither those of a large project nor those of a busy author are gone through. */
import type { Migration } from './index.ts';

export const issuesByAuthorMigration: Migration = {
  name: '1410-issues-by-author',
  statements: ['create index issues_project_author on issues (project_id, author_id, created_at, id)'],
};
