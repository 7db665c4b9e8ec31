/** How much the artifacts of a project may take, and what the clean-up of expired ones removed on which day. */
import type { Migration } from './index.ts';

export const artifactQuotasMigration: Migration = {
  name: '0742-artifact-quotas',
  statements: [
    `alter table projects add column artifacts_quota bigint check (artifacts_quota >= 0)`,
    `create table job_artifact_removals (
      project_id bigint not null references projects on delete cascade,
      removed_on date not null,
      count bigint not null,
      size bigint not null,
      primary key (project_id, removed_on)
    )`,
  ],
};
