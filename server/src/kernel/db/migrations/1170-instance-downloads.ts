/** Who fetched which projects while the instance limits it, and when it was told of last. */
import type { Migration } from './index.ts';

const downloads = `
create table instance_downloads (
  user_id bigint not null references users on delete cascade,
  project_id bigint not null references projects on delete cascade,
  downloaded_at timestamptz(3) not null default now(),
  primary key (user_id, project_id)
);
create index instance_downloads_time on instance_downloads (downloaded_at);
create index instance_downloads_project on instance_downloads (project_id);
create table instance_download_alerts (
  user_id bigint primary key references users on delete cascade,
  told_at timestamptz(3) not null default now()
);
`;

export const instanceDownloadsMigration: Migration = { name: '1170-instance-downloads', statements: [downloads] };
