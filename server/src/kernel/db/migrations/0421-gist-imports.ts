/** Imports of gists that run, one for each person. */
import type { Migration } from './index.ts';

const imports = `
create table gist_imports (
  user_id bigint primary key references users (id) on delete cascade,
  config_sealed bytea not null,
  -- Ids of gists that were looked at, and what went wrong: an import that is begun again goes on where it was.
  done text[] not null default '{}',
  failures jsonb not null default '[]',
  created_at timestamptz(3) not null default now()
);
`;

export const gistImportsMigration: Migration = { name: '0421-gist-imports', statements: [imports] };
