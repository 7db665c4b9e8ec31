/** Why each job is in a pipeline or not, kept with the pipeline: what decided then may be different now. */
import type { Migration } from './index.ts';

const explanations = `
create table pipeline_explanations (
  pipeline_id bigint primary key references pipelines on delete cascade,
  explanation jsonb not null
);
`;

export const pipelineExplanationsMigration: Migration = {
  name: '0651-pipeline-explanations',
  statements: [explanations],
};
