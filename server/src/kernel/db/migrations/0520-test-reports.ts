/** What the tests of jobs said, read from their JUnit reports. */
import type { Migration } from './index.ts';

const reports = `
create table job_test_reports (
  job_id bigint primary key references jobs (id) on delete cascade,
  suite_name text not null,
  total_time double precision not null,
  success_count integer not null,
  failed_count integer not null,
  skipped_count integer not null,
  error_count integer not null,
  -- Why the report could not be read.
  suite_error text,
  -- JSON, compressed; its size is that of the text.
  cases bytea not null,
  cases_size integer not null,
  created_at timestamptz(3) not null default now()
);
`;

export const testReportsMigration: Migration = { name: '0520-test-reports', statements: [reports] };
