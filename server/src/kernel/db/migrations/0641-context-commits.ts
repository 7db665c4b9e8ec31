/** Commits of a project that belong to the context of a merge request. */
import type { Migration } from './index.ts';

const contextCommits = `
create table merge_request_context_commits (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  sha text not null check (sha ~ '^[0-9a-f]{40}$'),
  committed_at timestamptz(3) not null,
  primary key (merge_request_id, sha)
);
create index merge_requests_merged_source on merge_requests (project_id, source_branch, merged_at) where state = 'merged';
`;

export const contextCommitsMigration: Migration = {
  name: '0641-context-commits',
  statements: [contextCommits],
};
