/** Pictures of metrics that belong to incidents. */
import type { Migration } from './index.ts';

export const metricImagesMigration: Migration = {
  name: '0801-metric-images',
  statements: [
    `create table issue_metric_images (
      id bigint generated always as identity primary key,
      issue_id bigint not null references issues on delete cascade,
      file_name text not null,
      object_key text not null,
      size bigint not null,
      url text,
      url_text text,
      created_at timestamptz(3) not null default now()
    )`,
    `create index issue_metric_images_issue_index on issue_metric_images (issue_id, id)`,
    `create trigger issue_metric_images_gone after delete on issue_metric_images for each row
      execute function object_key_left()`,
  ],
};
