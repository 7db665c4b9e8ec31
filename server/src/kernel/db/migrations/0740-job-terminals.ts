/** Interactive terminals of running jobs: where the runner of a job accepts one, and who opened which. */
import type { Migration } from './index.ts';

export const jobTerminalsMigration: Migration = {
  name: '0740-job-terminals',
  statements: [
    `alter table projects add column ci_job_terminals_enabled boolean not null default true`,
    // What the runner said when it took the job. The authorization is what the runner expects from us: sealed.
    `create table job_sessions (
      job_id bigint primary key references jobs on delete cascade,
      url text not null,
      certificate text,
      authorization_sealed bytea
    )`,
    `create table job_terminals (
      id bigint generated always as identity primary key,
      job_id bigint not null references jobs on delete cascade,
      user_id bigint not null references users on delete cascade,
      ticket_sha256 bytea not null unique,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      opened_at timestamptz(3),
      -- Renewed while it is open: a process that dies leaves it behind.
      seen_at timestamptz(3),
      closed_at timestamptz(3)
    )`,
    `create index job_terminals_job_id_index on job_terminals (job_id)`,
    `create index job_terminals_user_id_index on job_terminals (user_id)`,
    `create index job_terminals_expires_at_index on job_terminals (expires_at)`,
  ],
};
