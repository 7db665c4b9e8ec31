/** Topics given on projects are rows of `topics`, spelled as these are, and counted there. */
import type { Migration } from './index.ts';

// Rows are locked in one order before they change, so that two projects with the same topics never wait for each other.
const keeping = `
alter table topics add column total_projects_count integer not null default 0;
update topics set title = name where title is null;
alter table topics alter column title set not null;
create index topics_by_use on topics (total_projects_count desc, id);

create function project_topics_kept() returns trigger language plpgsql as $$
begin
  perform from topics where lower(name) in
    (select lower(given) from unnest(coalesce(old.topics, '{}') || new.topics) given)
    order by lower(name) for no key update;
  insert into topics (name, title)
    select distinct on (lower(given)) given, given from unnest(new.topics) given order by lower(given)
    on conflict (lower(name)) do update set name = topics.name;
  new.topics := array(
    select t.name from unnest(new.topics) with ordinality g (given, place) join topics t on lower(t.name) = lower(g.given)
    group by t.name order by min(g.place));
  return new;
end $$;
create trigger projects_topics_kept_new before insert on projects for each row
  when (new.topics <> '{}') execute function project_topics_kept();
create trigger projects_topics_kept before update of topics on projects for each row
  when (new.topics is distinct from old.topics) execute function project_topics_kept();

update projects set topics = array(
  select t.name from unnest(projects.topics) with ordinality g (given, place) join topics t on lower(t.name) = lower(g.given)
  group by t.name order by min(g.place)) where topics <> '{}';
update topics set total_projects_count = (select count(*) from projects p where p.topics @> array[topics.name]);

create function project_topics_counted() returns trigger language plpgsql as $$
declare
  before text[] := array(select lower(topic) from unnest(old.topics) topic);
  after text[] := array(select lower(topic) from unnest(new.topics) topic);
begin
  update topics set total_projects_count = total_projects_count
      + (lower(name) = any(after))::int - (lower(name) = any(before))::int
    where lower(name) = any(before || after) and (lower(name) = any(after)) <> (lower(name) = any(before));
  return null;
end $$;
create trigger projects_topics_counted_new after insert on projects for each row
  when (new.topics <> '{}') execute function project_topics_counted();
create trigger projects_topics_counted after update of topics on projects for each row
  when (new.topics is distinct from old.topics) execute function project_topics_counted();
create trigger projects_topics_counted_gone after delete on projects for each row
  when (old.topics <> '{}') execute function project_topics_counted();
`;

export const topicsMigration: Migration = { name: '0025-topics', statements: [keeping] };
