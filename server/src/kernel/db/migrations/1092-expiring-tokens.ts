/** How many days before its end the people of an access token were told of it last. */
import type { Migration } from './index.ts';

const expiringTokens = `
alter table access_tokens add column expiry_told integer;
create index access_tokens_expiring on access_tokens (expires_at) where revoked_at is null and expires_at is not null;
`;

export const expiringTokensMigration: Migration = { name: '1092-expiring-tokens', statements: [expiringTokens] };
