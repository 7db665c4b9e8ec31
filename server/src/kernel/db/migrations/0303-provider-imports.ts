/** Where an import comes from, in the words of the other product. */
import type { Migration } from './index.ts';

const sources = `
alter table project_imports add column source text, add column source_path text;
`;

export const providerImportsMigration: Migration = { name: '0303-provider-imports', statements: [sources] };
