/** Which version of a merge request somebody reviewed last. */
import type { Migration } from './index.ts';

const lastReviews = `
create table merge_request_last_reviews (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  version_id bigint not null references merge_request_versions (id) on delete cascade,
  reviewed_at timestamptz(3) not null default now(),
  primary key (merge_request_id, user_id)
);
create index merge_request_last_reviews_user on merge_request_last_reviews (user_id);
create index merge_request_last_reviews_version on merge_request_last_reviews (version_id);
`;

export const lastReviewsMigration: Migration = { name: '0722-last-reviews', statements: [lastReviews] };
