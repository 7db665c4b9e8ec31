/** What each project stores, kept as it changes. */
import type { Migration } from './index.ts';

/** Columns of bytes; what a project stores is their sum. */
const sizes = [
  ...['repository_size', 'wiki_size', 'lfs_objects_size', 'job_artifacts_size', 'pipeline_artifacts_size'],
  ...['packages_size', 'snippets_size', 'uploads_size'],
];

const table = `
create table project_statistics (
  project_id bigint primary key references projects (id) on delete cascade,
  commit_count bigint not null default 0,
${sizes.map((size) => `  ${size} bigint not null default 0,`).join('\n')}
  storage_size bigint not null generated always as (${sizes.join(' + ')}) stored
);
create index project_statistics_storage on project_statistics (storage_size, project_id);
create index project_statistics_repository on project_statistics (repository_size, project_id);
create index project_statistics_wiki on project_statistics (wiki_size, project_id);
create index project_statistics_packages on project_statistics (packages_size, project_id);

insert into project_statistics (project_id, commit_count, repository_size, job_artifacts_size, uploads_size)
  select p.id, p.commit_count, p.repository_size,
    coalesce((select sum(a.size) from job_artifacts a where a.project_id = p.id), 0),
    coalesce((select sum(u.size) from project_uploads u where u.project_id = p.id), 0) from projects p;
alter table projects drop column commit_count, drop column repository_size;

create function project_has_statistics() returns trigger language plpgsql as $$
begin
  insert into project_statistics (project_id) values (new.id);
  return null;
end $$;
create trigger projects_have_statistics after insert on projects
  for each row execute function project_has_statistics();
`;

/**
 * Triggers that keep a column the sum of the sizes of a table's rows, once per statement. Sizes of stored files never
 * change. Rows are locked in one order, so that two statements about the same projects never wait for each other.
 */
export const keeping = (files: string, column: string) => `
create function ${files}_measured() returns trigger language plpgsql as $$
begin
  perform from project_statistics where project_id in (select c.project_id from changed c)
    order by project_id for no key update;
  update project_statistics s
    set ${column} = greatest(s.${column} + case tg_op when 'INSERT' then c.size else -c.size end, 0)
    from (select project_id, sum(size) as size from changed group by project_id) c where s.project_id = c.project_id;
  return null;
end $$;
create trigger ${files}_measured_new after insert on ${files} referencing new table as changed
  for each statement execute function ${files}_measured();
create trigger ${files}_measured_gone after delete on ${files} referencing old table as changed
  for each statement execute function ${files}_measured();
`;

export const statisticsMigration: Migration = {
  name: '0032-statistics',
  statements: [table, keeping('job_artifacts', 'job_artifacts_size'), keeping('project_uploads', 'uploads_size')],
};
