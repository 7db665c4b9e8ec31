/** What jobs measured, read from their reports; and the test cases that failed, for their history. */
import type { Migration } from './index.ts';

const reports = `
create table job_reports (
  id bigint generated always as identity primary key,
  job_id bigint not null references jobs (id) on delete cascade,
  kind text not null,
  -- Why the report could not be read.
  error text,
  -- Numbers by name.
  summary jsonb not null,
  -- JSON, compressed; its size is that of the text.
  content bytea not null,
  content_size integer not null,
  created_at timestamptz(3) not null default now(),
  unique (job_id, kind)
);

create table test_failures (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  job_id bigint not null references jobs (id) on delete cascade,
  -- Of the names of suite and case.
  case_hash bytea not null,
  suite_name text not null,
  case_suite text,
  classname text,
  name text not null,
  file text,
  -- On the default branch, as it was then.
  on_default_branch boolean not null,
  -- It passed in another job of the same commit.
  flaky boolean not null default false,
  failed_at timestamptz(3) not null default now(),
  unique (job_id, case_hash)
);
create index test_failures_cases on test_failures (project_id, case_hash, failed_at desc);
create index test_failures_recent on test_failures (project_id, failed_at desc);
`;

export const jobReportsMigration: Migration = { name: '0730-job-reports', statements: [reports] };
