/** Lists of projects ask which of them have artifacts of some kinds. */
import type { Migration } from './index.ts';

export const reports: Migration = {
  name: '0028-reports',
  statements: [
    `drop index job_artifacts_project;
create index job_artifacts_project on job_artifacts (project_id, file_type);`,
  ],
};
