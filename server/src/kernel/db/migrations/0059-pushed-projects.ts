/** Projects that a push has made, until whoever pushes is told so: over HTTP the words go with a later request. */
import type { Migration } from './index.ts';

const pushed = `
create table pushed_projects (
  project_id bigint primary key references projects on delete cascade,
  user_id bigint not null references users on delete cascade,
  protocol text not null check (protocol in ('http', 'ssh'))
);
create index pushed_projects_user on pushed_projects (user_id);
`;

export const pushedProjectsMigration: Migration = { name: '0059-pushed-projects', statements: [pushed] };
