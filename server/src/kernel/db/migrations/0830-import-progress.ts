/** How far imports are: their stages, and those that are done. */
import type { Migration } from './index.ts';

export const importProgressMigration: Migration = {
  name: '0830-import-progress',
  statements: [
    `alter table project_imports add column stages text[] not null default '{}', add column done_stages text[] not null default '{}'`,
  ],
};
