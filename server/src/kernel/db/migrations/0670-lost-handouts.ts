/** How often a job was given to a runner that never spoke of it. */
import type { Migration } from './index.ts';

export const lostHandoutsMigration: Migration = {
  name: '0670-lost-handouts',
  statements: ['alter table jobs add column lost_handouts smallint not null default 0'],
};
