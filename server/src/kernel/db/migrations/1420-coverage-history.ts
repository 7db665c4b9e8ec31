/** Finds the jobs of a branch that measured coverage. */
import type { Migration } from './index.ts';

export const coverageHistoryMigration: Migration = {
  name: '1420-coverage-history',
  statements: [
    'create index jobs_coverage on jobs (project_id, ref, finished_at) where coverage is not null and not retried',
  ],
};
