/** Jobs that end as the latest pipeline of another project does, and the newest successful job of a ref by its name. */
import type { Migration } from './index.ts';

const upstreamPipelines = `
alter table jobs add column upstream_pipeline_id bigint references pipelines on delete set null;
create index jobs_upstream_pipeline on jobs (upstream_pipeline_id) where upstream_pipeline_id is not null;
create index jobs_successful on jobs (project_id, ref, name, id desc)
  where status = 'success' and kind = 'job' and not retried;
`;

export const upstreamPipelinesMigration: Migration = {
  name: '0550-upstream-pipelines',
  statements: [upstreamPipelines],
};
