/** Who fetched which projects of groups that limit it, while it counts, and when it was told of last. */
import type { Migration } from './index.ts';

const downloads = `
create table project_downloads (
  namespace_id bigint not null references namespaces on delete cascade,
  user_id bigint not null references users on delete cascade,
  project_id bigint not null references projects on delete cascade,
  downloaded_at timestamptz(3) not null default now(),
  primary key (namespace_id, user_id, project_id)
);
create index project_downloads_time on project_downloads (downloaded_at);
create index project_downloads_user on project_downloads (user_id);
create index project_downloads_project on project_downloads (project_id);
create table project_download_alerts (
  namespace_id bigint not null references namespaces on delete cascade,
  user_id bigint not null references users on delete cascade,
  told_at timestamptz(3) not null default now(),
  primary key (namespace_id, user_id)
);
create index project_download_alerts_user on project_download_alerts (user_id);
`;

export const projectDownloads: Migration = { name: '0057-project-downloads', statements: [downloads] };
