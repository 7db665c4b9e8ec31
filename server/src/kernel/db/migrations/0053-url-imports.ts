/** Projects from repositories elsewhere: where they come from, and what proves us there until they are here. */
import type { Migration } from './index.ts';

const urls = `
-- Without name and password.
alter table projects add column import_url text check (char_length(import_url) <= 2048);
alter table project_imports add column url_sealed bytea;
`;

export const urlImportsMigration: Migration = { name: '0053-url-imports', statements: [urls] };
