/** The time before which a merge request is not merged, and where it was imported from. */
import type { Migration } from './index.ts';

const columns = `
alter table merge_requests add column merge_after timestamptz(3);
alter table merge_requests add column imported_from text not null default 'none';
`;

export const mergeAfterMigration: Migration = { name: '0720-merge-after', statements: [columns] };
