/** The job state machine as a table: which event leads where; everything else is refused. Pure. */

export const jobStatuses = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'canceling',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const;
export type JobStatus = (typeof jobStatuses)[number];

/**
 * `enqueue`: may be given to a runner; `run`: a runner has it; `cancel`: ends at once; `start_cancel`: the runner is
 * asked to stop and lets after_script run; `reset`: a skipped job waits again because what it waited for is retried.
 */
export const jobEvents = [
  'enqueue',
  'actionize',
  'schedule',
  'skip',
  'run',
  'release',
  'succeed',
  'drop',
  'cancel',
  'start_cancel',
  'reset',
] as const;
export type JobEvent = (typeof jobEvents)[number];

type Row = Partial<Record<JobEvent, JobStatus>>;

const waiting: Row = { enqueue: 'pending', skip: 'skipped', drop: 'failed', cancel: 'canceled' };

const table: Readonly<Record<JobStatus, Row>> = {
  created: { ...waiting, actionize: 'manual', schedule: 'scheduled' },
  waiting_for_resource: waiting,
  preparing: waiting,
  pending: { run: 'running', skip: 'skipped', drop: 'failed', cancel: 'canceled' },
  running: {
    succeed: 'success',
    drop: 'failed',
    cancel: 'canceled',
    start_cancel: 'canceling',
    // The runner went away before the answer with the job reached it.
    release: 'pending',
  },
  // However a job that is being canceled ends, it was canceled.
  canceling: { succeed: 'canceled', drop: 'canceled', cancel: 'canceled' },
  success: {},
  failed: {},
  canceled: {},
  skipped: { reset: 'created' },
  manual: { enqueue: 'pending', skip: 'skipped', cancel: 'canceled', drop: 'failed' },
  scheduled: { enqueue: 'pending', actionize: 'manual', skip: 'skipped', cancel: 'canceled', drop: 'failed' },
};

/** The status that the event leads to; null when the event is not for a job in this status. */
export function nextJobStatus(status: JobStatus, event: JobEvent): JobStatus | null {
  return table[status][event] ?? null;
}

const setOf = (...statuses: JobStatus[]): ReadonlySet<string> => new Set(statuses);

/** Nothing changes any more unless somebody retries. */
export const completedStatuses = setOf('success', 'failed', 'canceled', 'skipped');
/** With a runner. */
export const executingStatuses = setOf('running', 'canceling');
export const cancelableStatuses = setOf(
  'running',
  'waiting_for_resource',
  'preparing',
  'pending',
  'created',
  'scheduled',
  'manual',
);
/** May be tried once more. A job that never ran has nothing to retry. */
export const retryableStatuses = setOf('success', 'failed', 'canceled');
export const playableStatuses = setOf('manual', 'scheduled');

/** Whether the word is a job status. */
export const isJobStatus = (word: string): word is JobStatus => (jobStatuses as readonly string[]).includes(word);
