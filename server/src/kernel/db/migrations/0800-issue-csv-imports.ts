/** Files of issues that are being imported: how far each is, and which lines were refused. */
import type { Migration } from './index.ts';

export const issueCsvImportsMigration: Migration = {
  name: '0800-issue-csv-imports',
  statements: [
    `create table issue_csv_imports (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects on delete cascade,
      user_id bigint not null references users on delete cascade,
      object_key text not null,
      -- Rows of the file that are done, created or refused.
      done integer not null default 0,
      created integer not null default 0,
      -- [{"line": 3, "reason": "title can't be blank"}]
      refused jsonb not null default '[]',
      created_at timestamptz(3) not null default now()
    )`,
    `create index issue_csv_imports_project_index on issue_csv_imports (project_id)`,
    `create index issue_csv_imports_user_index on issue_csv_imports (user_id)`,
    // For any table whose rows own the object of their `object_key`.
    `create function object_key_left() returns trigger language plpgsql as $$
    begin
      insert into object_deletions (object_key) values (old.object_key) on conflict do nothing;
      return null;
    end $$`,
    `create trigger issue_csv_imports_gone after delete on issue_csv_imports for each row
      execute function object_key_left()`,
  ],
};
