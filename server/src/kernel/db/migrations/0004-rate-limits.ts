/** Counts of rate limits over all processes. */
import type { Migration } from './index.ts';

// Unlogged: counts of the last minutes are not worth the write-ahead log, and after a crash they may begin again.
const windows = `
create unlogged table rate_limit_windows (
  limit_name text not null,
  subject text not null,
  ends_at timestamptz(3) not null,
  taken bigint not null check (taken >= 0),
  granted bigint not null check (granted >= 0),
  primary key (limit_name, subject, ends_at)
);
create index rate_limit_windows_ends_at on rate_limit_windows (ends_at);
`;

export const rateLimits: Migration = { name: '0004-rate-limits', statements: [windows] };
