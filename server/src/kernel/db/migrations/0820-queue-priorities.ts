/** Which pipelines of a project, and which projects, get runners first; when a project and a person last got one. */
import type { Migration } from './index.ts';

const values = `check (queue_priority in ('low', 'normal', 'high'))`;

export const queuePrioritiesMigration: Migration = {
  name: '0820-queue-priorities',
  statements: [
    `alter table projects add column ci_queue_priority text not null default 'normal'
      check (ci_queue_priority in ('low', 'normal', 'high'))`,
    `alter table pipelines add column queue_priority text not null default 'normal' ${values}`,
    `alter table pipeline_schedules add column queue_priority text not null default 'normal' ${values}`,
    `create index jobs_project_started on jobs (project_id, started_at) where started_at is not null`,
    `create index jobs_user_started on jobs (user_id, started_at) where started_at is not null`,
  ],
};
