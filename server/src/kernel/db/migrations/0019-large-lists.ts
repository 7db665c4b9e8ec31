/** Indexes for lists of projects in large instances. */
import type { Migration } from './index.ts';

// What a list of a group's or somebody's projects asks of each row is in the index: 10,000 are counted without the rows.
const lists = `
create index projects_place on projects (namespace_id, id) include (visibility, archived, marked_for_deletion_on);
create index projects_search_description on projects using gin (description gin_trgm_ops);
`;

export const largeLists: Migration = { name: '0019-large-lists', statements: [lists] };
