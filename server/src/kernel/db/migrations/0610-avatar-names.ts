/** Rows keep pictures as the key of the object and the name of the file: `KEY/avatar.png`. */
import type { Migration } from './index.ts';

const given = (name: string) => `
create or replace function ${name}() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or split_part(old.avatar_object_key, '/', 1) is distinct from split_part(new.avatar_object_key, '/', 1) then
    insert into object_deletions (object_key) values (split_part(old.avatar_object_key, '/', 1)) on conflict do nothing;
  end if;
  return null;
end $$;
`;

const named = (table: string) => `
update ${table} set avatar_object_key = avatar_object_key || '/avatar.png'
  where avatar_object_key is not null and position('/' in avatar_object_key) = 0;
`;

export const avatarNamesMigration: Migration = {
  name: '0610-avatar-names',
  statements: [
    ...['forget_user_avatar', 'project_avatar_left'].map(given),
    ...['users', 'namespaces', 'projects', 'topics'].map(named),
  ],
};
