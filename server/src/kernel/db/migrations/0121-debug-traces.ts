/** Jobs that run with debug logging print all their variables: their logs are for fewer people. */
import type { Migration } from './index.ts';

const debugTraces = `
alter table jobs add column debug_trace boolean not null default false;
`;

export const debugTracesMigration: Migration = { name: '0121-debug-traces', statements: [debugTraces] };
