/** Indexes for the orders of lists that had none. */
import type { Migration } from './index.ts';

const statements = `
create index namespaces_path on namespaces (lower(path), id) where kind = 'group';
create index projects_path on projects (lower(path), id);
create index projects_stars on projects (star_count, id);
create index pipelines_updated on pipelines (project_id, updated_at, id);
create index merge_requests_project_created on merge_requests (project_id, created_at, id);
create index merge_requests_project_updated on merge_requests (project_id, updated_at, id);
create index merge_requests_project_title on merge_requests (project_id, title, id);
create index merge_requests_project_merged on merge_requests (project_id, merged_at desc nulls last, id desc);
create index ci_variables_namespace on ci_variables (namespace_id, id) where namespace_id is not null;
`;

export const paging: Migration = { name: '0002-paging', statements: [statements] };
