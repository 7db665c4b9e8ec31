/** Words of issues by their project: few of what a word is in everywhere are then read for one project. */
import type { Migration } from './index.ts';

const statements = [
  'create extension if not exists btree_gin',
  'create index issues_project_search on issues using gin (project_id, title gin_trgm_ops, description gin_trgm_ops)',
  // The columns of an index of this kind serve without each other.
  'drop index issues_search',
  'alter index issues_project_search rename to issues_search',
];

export const issueSearchMigration: Migration = { name: '1481-issue-search', statements };
