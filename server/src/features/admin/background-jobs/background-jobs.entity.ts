/** Background jobs as the API shows them, without what they are about: payloads may hold secrets. */
import type { Static } from 'typebox';
import { Count, Entity, Id, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { jobStates, type QueuedJob } from '../../../kernel/queue/index.ts';

export const BackgroundJob = Entity('BackgroundJob', {
  id: Id(),
  task: Text({ description: 'What it does, for instance `mail.deliver`' }),
  status: Word(jobStates, { description: '`failed`: its attempts are used up' }),
  attempts: Count(),
  max_attempts: Count(),
  last_error: Nullable(Text({ description: 'First line of the last failure' })),
  run_at: Timestamp(),
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
});

const longestError = 500;

export const backgroundJobJson = (job: QueuedJob): Static<typeof BackgroundJob> => ({
  id: job.id,
  task: job.task,
  status: job.state,
  attempts: job.attempts,
  max_attempts: job.max_attempts,
  last_error: job.last_error === null ? null : (job.last_error.split('\n')[0] ?? '').slice(0, longestError),
  run_at: job.run_at,
  created_at: job.created_at,
  started_at: job.locked_at,
});
