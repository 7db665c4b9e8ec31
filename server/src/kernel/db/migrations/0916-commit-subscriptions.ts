/** Who hears of comments on a commit or does not want to. */
import type { Migration } from './index.ts';

export const commitSubscriptionsMigration: Migration = {
  name: '0916-commit-subscriptions',
  statements: [
    `create table commit_subscriptions (
      project_id bigint not null references projects (id) on delete cascade,
      commit_id text not null,
      user_id bigint not null references users (id) on delete cascade,
      -- False for those who would hear of it without a subscription and do not want to.
      subscribed boolean not null,
      created_at timestamptz(3) not null default now(),
      primary key (project_id, commit_id, user_id)
    )`,
    'create index commit_subscriptions_user on commit_subscriptions (user_id)',
  ],
};
