/** The limit of the runner at which the log of a job was cut. */
import type { Migration } from './index.ts';

export const cutLogsMigration: Migration = {
  name: '0671-cut-logs',
  statements: ['alter table jobs add column trace_cut_at bigint'],
};
