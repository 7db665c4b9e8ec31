/** Whether pipelines of merge requests between protected branches get protected variables and runners. */
import type { Migration } from './index.ts';

const protectedRequestPipelines = `
alter table projects add column protect_merge_request_pipelines boolean not null default true;
`;

export const protectedRequestPipelinesMigration: Migration = {
  name: '1260-protected-request-pipelines',
  statements: [protectedRequestPipelines],
};
