/** The pipeline state machine. A pipeline's status is computed from its jobs; the table says which changes are events. Pure. */
import { completedStatuses, type JobStatus, jobStatuses } from './job-states.ts';

export const pipelineStatuses = jobStatuses;
export type PipelineStatus = JobStatus;

const live: readonly PipelineStatus[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'canceling',
  'manual',
  'scheduled',
];
const ends: readonly PipelineStatus[] = ['success', 'failed', 'canceled', 'skipped'];

/** Nothing of these happens by itself any more: they have ended, or wait for somebody. */
export const endedStatuses: ReadonlySet<string> = new Set([...ends, 'manual']);

/** Which statuses may follow. A pipeline that has ended runs again only because a job of it was retried or played. */
const table: Readonly<Record<PipelineStatus, readonly PipelineStatus[]>> = {
  created: [...live, ...ends],
  waiting_for_resource: [...live, ...ends],
  preparing: [...live, ...ends],
  pending: [...live, ...ends],
  running: [...live, ...ends],
  manual: [...live, ...ends],
  scheduled: [...live, ...ends],
  canceling: ['canceled', 'failed', 'success', 'skipped', 'running', 'pending', 'canceling'],
  success: [...live, ...ends],
  failed: [...live, ...ends],
  canceled: [...live, ...ends],
  skipped: [...live, ...ends],
};

export interface PipelineChange {
  readonly status: PipelineStatus;
  /** It has begun to run for the first time, or again. */
  readonly starts: boolean;
  readonly finishes: boolean;
}

/** Pipelines that have begun: jobs that only wait for runners now do not take them back. */
const begun: ReadonlySet<PipelineStatus> = new Set(['running', 'success', 'failed', 'canceling', 'canceled']);

/** What happens when the computed status is `computed`; null when nothing changes. */
export function pipelineChange(current: PipelineStatus, computed: PipelineStatus): PipelineChange | null {
  const next = computed === 'pending' && begun.has(current) ? 'running' : computed;
  if (current === next || !table[current].includes(next)) return null;
  return { status: next, starts: next === 'running', finishes: completedStatuses.has(next) };
}

export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** Seconds in which at least one job ran: overlaps count once, gaps do not count. */
export function runningSeconds(periods: readonly Period[]): number {
  const sorted = [...periods].sort((a, b) => a.from.getTime() - b.from.getTime());
  let total = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of sorted) {
    const start = Math.max(from.getTime(), end);
    if (to.getTime() > start) total += to.getTime() - start;
    end = Math.max(end, to.getTime());
  }
  return Math.round(total / 1000);
}
