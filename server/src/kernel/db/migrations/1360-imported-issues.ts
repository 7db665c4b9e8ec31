/** Where issues and comments come from that were imported. */
import type { Migration } from './index.ts';

const statements = [
  `alter table issues add column imported_from text not null default 'none'`,
  `alter table notes add column imported_from text not null default 'none'`,
];

export const importedIssuesMigration: Migration = { name: '1360-imported-issues', statements };
