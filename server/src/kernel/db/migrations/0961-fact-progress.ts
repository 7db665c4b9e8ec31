/** Which consumers have a fact that others still wait for: a process that stops leaves only the rest to the next. */
import type { Migration } from './index.ts';

const progress = `
alter table facts add column delivered_to text[];
`;

export const factProgressMigration: Migration = { name: '0961-fact-progress', statements: [progress] };
