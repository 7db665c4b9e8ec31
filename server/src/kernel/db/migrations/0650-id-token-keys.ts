/** Keys that ID tokens of jobs are signed with. */
import type { Migration } from './index.ts';

const keys = `
create table id_token_keys (
  kid text primary key,
  public_jwk jsonb not null,
  private_key_sealed bytea not null,
  created_at timestamptz(3) not null default now()
);
`;

export const idTokenKeysMigration: Migration = { name: '0650-id-token-keys', statements: [keys] };
