/** Pipelines that are old enough to go are found without looking at the others. */
import type { Migration } from './index.ts';

const found = `
create index pipelines_created on pipelines (project_id, created_at);
create index projects_removing_pipelines on projects (id) where ci_delete_pipelines_in_seconds is not null;
`;

export const oldPipelinesMigration: Migration = { name: '0055-old-pipelines', statements: [found] };
