/** Remote files that configurations include and want to be kept for a time (`include:cache`). */
import type { Migration } from './index.ts';

const files = `
create table ci_remote_files (
  project_id bigint not null references projects (id) on delete cascade,
  -- SHA-256 of the whole address: it may hold a secret.
  address_digest bytea not null,
  content bytea not null,
  fetched_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (project_id, address_digest)
);
create index ci_remote_files_expiry on ci_remote_files (expires_at);
`;

export const ciRemoteFilesMigration: Migration = { name: '0994-ci-remote-files', statements: [files] };
