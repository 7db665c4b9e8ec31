/** Upvotes of issues as a column, and the orders of lists of issues that had no index to walk along. */
import type { Migration } from './index.ts';

const upvotes = `
alter table issues add column upvotes_count integer not null default 0;
update issues i set upvotes_count = w.count
  from (select noteable_id, count(*)::int as count from award_emoji
    where noteable_type = 'issue' and note_id is null and name = 'thumbsup' group by noteable_id) w
  where w.noteable_id = i.id;

create function count_upvote() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update issues set upvotes_count = upvotes_count + 1 where id = new.noteable_id;
  else
    update issues set upvotes_count = upvotes_count - 1 where id = old.noteable_id;
  end if;
  return null;
end $$;
create trigger award_emoji_upvote_added after insert on award_emoji for each row
  when (new.noteable_type = 'issue' and new.note_id is null and new.name = 'thumbsup') execute function count_upvote();
create trigger award_emoji_upvote_removed after delete on award_emoji for each row
  when (old.noteable_type = 'issue' and old.note_id is null and old.name = 'thumbsup') execute function count_upvote();

create index issues_project_upvotes on issues (project_id, upvotes_count, id);
create index issues_upvotes on issues (upvotes_count, id);
create index issues_project on issues (project_id, id);
create index issues_position on issues (relative_position, id) where relative_position is not null;
drop index issues_milestone;
create index issues_milestone on issues (milestone_id, created_at, id) include (project_id) where milestone_id is not null;
create index milestones_due on milestones (due_date, id) where due_date is not null;
`;

export const issuePopularityMigration: Migration = { name: '0970-issue-popularity', statements: [upvotes] };
