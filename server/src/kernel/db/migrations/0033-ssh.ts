/** git over SSH: until when a key's person proved a second factor. */
import type { Migration } from './index.ts';

const keys = `
alter table ssh_keys add column verified_until timestamptz(3);
`;

export const sshMigration: Migration = { name: '0033-ssh', statements: [keys] };
