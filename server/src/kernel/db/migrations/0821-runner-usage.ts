/** Jobs of a month, for the usage of runners. */
import type { Migration } from './index.ts';

export const runnerUsageMigration: Migration = {
  name: '0821-runner-usage',
  statements: [`create index jobs_started on jobs (started_at) where started_at is not null`],
};
