/** Whose memberships somebody's access is made of are read without their rows, which lie all over a large table. */
import type { Migration } from './index.ts';

const covering = (name: string, column: string) => `
drop index ${name};
create index ${name} on grants (${column}) include (namespace_id, project_id, level, state, expires_at)
  where ${column} is not null;
`;

export const grantsMigration: Migration = {
  name: '0032-grants',
  statements: [covering('grants_user', 'user_id'), covering('grants_group', 'group_id')],
};
