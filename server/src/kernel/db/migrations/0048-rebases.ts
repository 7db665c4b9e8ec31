/** Rebases of merge requests that were asked for and have not ended. */
import type { Migration } from './index.ts';

const rebases = `
alter table merge_requests add column rebase_started_at timestamptz(3);
`;

export const rebasesMigration: Migration = { name: '0048-rebases', statements: [rebases] };
