/** Texts in titles and descriptions of merge requests, for lists over many projects. */
import type { Migration } from './index.ts';

const search = `
create index merge_requests_search on merge_requests using gin (title gin_trgm_ops, description gin_trgm_ops);
`;

export const mergeRequestSearchMigration: Migration = {
  name: '0530-merge-request-search',
  statements: [search],
};
