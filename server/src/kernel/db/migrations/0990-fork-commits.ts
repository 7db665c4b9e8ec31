/** Up to which commit of its source the history of a fork is left out of the index: forks store what they add. */
import type { Migration } from './index.ts';

const commits = `
alter table code_indexes add column beyond text;
`;

export const forkCommitsMigration: Migration = { name: '0990-fork-commits', statements: [commits] };
