/** Since when Maintainers and Owners of a project know that it will be removed because nobody uses it. */
import type { Migration } from './index.ts';

const inactiveProjects = `
alter table projects add column inactivity_warned_at timestamptz(3);
`;

export const inactiveProjectsMigration: Migration = { name: '1090-inactive-projects', statements: [inactiveProjects] };
