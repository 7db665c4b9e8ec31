/** Threads on lines follow these across pushes: where they began, and whether their line is gone. */
import type { Migration } from './index.ts';

const threadPositions = `
alter table notes add column original_position jsonb;
alter table notes add column outdated boolean not null default false;
`;

export const threadPositionsMigration: Migration = {
  name: '0640-thread-positions',
  statements: [threadPositions],
};
