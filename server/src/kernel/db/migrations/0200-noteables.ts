/** Comments on every kind of thing that people discuss, by the kind and the id of its row; and who removes them with it. */
import type { Migration } from './index.ts';

const notes = `
alter table notes
  drop constraint notes_noteable_type_check,
  add constraint notes_noteable_type_check
    check (noteable_type in ('commit', 'issue', 'merge_request', 'snippet', 'epic')),
  alter column project_id drop not null,
  -- Where it is for what groups have.
  add column namespace_id bigint references namespaces (id) on delete cascade,
  add column noteable_id bigint,
  -- Stands here because it never changes.
  add column noteable_iid bigint,
  -- What a system note tells of.
  add column action text;
update notes n set noteable_id = m.id, noteable_iid = m.iid from merge_requests m where m.id = n.merge_request_id;
alter table notes
  drop column merge_request_id,
  add constraint notes_place_check check ((project_id is null) <> (namespace_id is null)),
  add constraint notes_noteable_check check ((noteable_type = 'commit') = (noteable_id is null)),
  add constraint notes_action_check check (action is null or system);
create index notes_noteable on notes (noteable_type, noteable_id, created_at, id) where noteable_id is not null;
create index notes_namespace on notes (namespace_id, id) where namespace_id is not null;
`;

/** Called after rows of something that people discuss were deleted; its argument is the kind. */
const belongings = `
create function remove_belongings() returns trigger language plpgsql as $$
begin
  delete from notes where noteable_type = tg_argv[0] and noteable_id in (select id from gone);
  return null;
end $$;
create trigger merge_requests_belongings after delete on merge_requests referencing old table as gone
  for each statement execute function remove_belongings('merge_request');
`;

export const noteablesMigration: Migration = { name: '0200-noteables', statements: [notes, belongings] };
