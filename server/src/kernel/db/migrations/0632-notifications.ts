/** Mails about what people follow: who got one for which fact, and who watches. */
import type { Migration } from './index.ts';

const sent = `
create table sent_notifications (
  -- A fact that is delivered twice leaves one mail.
  fact_id bigint not null,
  user_id bigint not null references users (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  primary key (fact_id, user_id)
);
create index sent_notifications_user on sent_notifications (user_id);
create index sent_notifications_created on sent_notifications (created_at);
create index notification_settings_watchers on notification_settings (user_id) where level in ('watch', 'custom');
`;

export const notificationsMigration: Migration = { name: '0632-notifications', statements: [sent] };
