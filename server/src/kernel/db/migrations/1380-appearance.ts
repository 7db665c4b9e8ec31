/** How administrators let the instance look: one row, once something was changed. */
import type { Migration } from './index.ts';

const texts = `
create table appearances (
  id bigint primary key default 1 constraint appearances_one check (id = 1),
  title text not null default '',
  description text not null default '',
  pwa_name text not null default '',
  pwa_short_name text not null default '',
  pwa_description text not null default '',
  logo text,
  pwa_icon text,
  header_logo text,
  favicon text,
  member_guidelines text not null default '',
  new_project_guidelines text not null default '',
  profile_image_guidelines text not null default '',
  header_message text not null default '',
  footer_message text not null default '',
  message_background_color text not null default '#E75E40',
  message_font_color text not null default '#FFFFFF',
  email_header_and_footer_enabled boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
`;

/** As with avatars: the row keeps the key of the object and the name of the file, and the object goes when no row names it. */
const pictures = `
create function appearance_pictures_left() returns trigger language plpgsql as $$
begin
  insert into object_deletions (object_key)
    select distinct split_part(gone, '/', 1)
      from unnest(array[old.logo, old.pwa_icon, old.header_logo, old.favicon]) gone
      where gone is not null
        and (tg_op = 'DELETE' or gone not in (select kept
          from unnest(array[new.logo, new.pwa_icon, new.header_logo, new.favicon]) kept where kept is not null))
    on conflict do nothing;
  return null;
end $$;
create trigger appearances_pictures_left after delete or update of logo, pwa_icon, header_logo, favicon on appearances
  for each row execute function appearance_pictures_left();
`;

export const appearanceMigration: Migration = { name: '1380-appearance', statements: [texts, pictures] };
