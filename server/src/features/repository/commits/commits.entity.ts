/** Commits, their stats, diffs and refs as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Entity,
  Flag,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';

const CommitStats = Entity('CommitStats', { additions: Count(), deletions: Count(), total: Count() });

const basic = {
  id: Text({ description: 'Commit hash' }),
  short_id: Text(),
  created_at: Text({ description: 'Always equal to `committed_date`' }),
  parent_ids: ListOf(Text()),
  title: Text(),
  message: Text(),
  author_name: Text(),
  author_email: Text(),
  authored_date: Text(),
  committer_name: Text(),
  committer_email: Text(),
  committed_date: Text(),
  trailers: MapOf(Text()),
  extended_trailers: MapOf(ListOf(Text())),
  web_url: Text(),
};

export const Commit = Entity('Commit', { ...basic, stats: Sometimes(CommitStats) });
export type CommitJson = Static<typeof Commit>;

const CommitPipeline = Entity('CommitPipeline', {
  id: Id(),
  iid: Id(),
  project_id: Id(),
  sha: Text(),
  ref: Text(),
  status: Text(),
  source: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  web_url: Text(),
});

export const CommitDetail = Entity('CommitDetail', {
  ...basic,
  stats: Sometimes(CommitStats),
  status: Nullable(Text()),
  project_id: Id(),
  last_pipeline: Nullable(CommitPipeline),
});

export const CommitRef = Entity('CommitRef', { type: Text(), name: Text() });

export const FileDiff = Entity('FileDiff', {
  diff: Text({ description: 'Hunks only, from the first `@@`; empty for binary files and files past the limits' }),
  collapsed: Sometimes(Flag()),
  too_large: Sometimes(Flag()),
  new_path: Text(),
  old_path: Text(),
  a_mode: Text(),
  b_mode: Text(),
  new_file: Flag(),
  renamed_file: Flag(),
  deleted_file: Flag(),
  generated_file: Nullable(Flag()),
});

export const Compare = Entity('Compare', {
  commit: Nullable(Commit),
  commits: ListOf(Commit),
  diffs: ListOf(FileDiff),
  compare_timeout: Flag(),
  compare_same_ref: Flag(),
  web_url: Text(),
});
