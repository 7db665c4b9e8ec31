/** Size limits of single groups and projects, beside that of the instance. */
import type { Migration } from './index.ts';

const limits = `
-- Bytes; 0 for any size, null as above.
alter table namespaces add column repository_size_limit bigint check (repository_size_limit >= 0);
alter table projects add column repository_size_limit bigint check (repository_size_limit >= 0);
`;

export const sizeLimitsMigration: Migration = { name: '0042-size-limits', statements: [limits] };
