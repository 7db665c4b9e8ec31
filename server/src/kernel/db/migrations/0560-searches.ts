/** Texts of milestones, snippets, epics and comments, for searches over many of them. */
import type { Migration } from './index.ts';

const search = `
create index milestones_search on milestones using gin (title gin_trgm_ops, description gin_trgm_ops);
create index snippets_search on snippets using gin (title gin_trgm_ops, description gin_trgm_ops);
create index epics_search on epics using gin (title gin_trgm_ops, description gin_trgm_ops);
create index notes_search on notes using gin (body gin_trgm_ops) where not system;
`;

export const searchesMigration: Migration = {
  name: '0560-searches',
  statements: [search],
};
