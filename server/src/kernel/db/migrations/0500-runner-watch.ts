/** Since when the instance has looked for signs of life of runners without a pause, and when it last did. One row. */
import type { Migration } from './index.ts';

export const runnerWatchMigration: Migration = {
  name: '0500-runner-watch',
  statements: [
    `create table runner_watch (
      only_row boolean primary key default true check (only_row),
      since timestamptz(3) not null,
      seen_at timestamptz(3) not null
    )`,
  ],
};
