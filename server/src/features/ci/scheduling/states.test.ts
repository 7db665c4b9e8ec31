/** The state machines and the composite status: every cell of the tables. */
import { describe, expect, it } from 'vitest';
import { compositeStatus, type StatusInput } from './composite-status.ts';
import {
  cancelableStatuses,
  completedStatuses,
  isJobStatus,
  type JobStatus,
  jobEvents,
  jobStatuses,
  nextJobStatus,
  retryableStatuses,
} from './job-states.ts';
import { pipelineChange, pipelineStatuses, runningSeconds } from './pipeline-states.ts';

const expected: Record<JobStatus, Partial<Record<(typeof jobEvents)[number], JobStatus>>> = {
  created: {
    enqueue: 'pending',
    actionize: 'manual',
    schedule: 'scheduled',
    skip: 'skipped',
    drop: 'failed',
    cancel: 'canceled',
  },
  waiting_for_resource: { enqueue: 'pending', skip: 'skipped', drop: 'failed', cancel: 'canceled' },
  preparing: { enqueue: 'pending', skip: 'skipped', drop: 'failed', cancel: 'canceled' },
  pending: { run: 'running', skip: 'skipped', drop: 'failed', cancel: 'canceled' },
  running: {
    succeed: 'success',
    drop: 'failed',
    cancel: 'canceled',
    start_cancel: 'canceling',
    release: 'pending',
  },
  canceling: { succeed: 'canceled', drop: 'canceled', cancel: 'canceled' },
  success: {},
  failed: {},
  canceled: {},
  skipped: { reset: 'created' },
  manual: { enqueue: 'pending', skip: 'skipped', drop: 'failed', cancel: 'canceled' },
  scheduled: { enqueue: 'pending', actionize: 'manual', skip: 'skipped', drop: 'failed', cancel: 'canceled' },
};

describe('jobs', () => {
  const cells = jobStatuses.flatMap((status) => jobEvents.map((event) => [status, event] as const));
  it.each(cells)('[2/states.job-status/1] %s on %s', (status, event) => {
    expect(nextJobStatus(status, event)).toBe(expected[status][event] ?? null);
  });

  it('[2/states.job-status/1] nothing leaves an end but a retry in a new row, and a skipped job that waits again', () => {
    for (const status of completedStatuses as ReadonlySet<JobStatus>) {
      const leaves = jobEvents.filter((event) => nextJobStatus(status, event) !== null);
      expect(leaves).toEqual(status === 'skipped' ? ['reset'] : []);
    }
    for (const status of cancelableStatuses as ReadonlySet<JobStatus>)
      expect(nextJobStatus(status, 'cancel')).toBe('canceled');
    expect([...retryableStatuses].every((status) => completedStatuses.has(status))).toBe(true);
  });

  it.each([
    'created',
    'pending',
    'running',
    'failed',
    'success',
    'canceled',
    'skipped',
    'waiting_for_resource',
    'manual',
  ])('[2/states.job-status/1 %s] is a status', (word) => {
    expect(isJobStatus(word)).toBe(true);
  });
});

describe('pipelines', () => {
  it.each(['created', 'pending'] as const)('[2/states.pipeline-status/1 %s] is a status', (word) => {
    expect(pipelineStatuses).toContain(word);
  });
  const cells = pipelineStatuses.flatMap((from) => pipelineStatuses.map((to) => [from, to] as const));
  it.each(cells)('[2/states.pipeline-status/1] %s to %s', (from, to) => {
    const change = pipelineChange(from, to);
    // What runs, or ran, goes on while its jobs wait for runners.
    const goesOn = to === 'pending' && ['running', 'success', 'failed', 'canceling', 'canceled'].includes(from);
    const reached = goesOn ? 'running' : to;
    const refused =
      from === reached ||
      (from === 'canceling' && ['created', 'waiting_for_resource', 'preparing', 'manual', 'scheduled'].includes(to));
    expect(change === null).toBe(refused);
    if (change) {
      expect(change.status).toBe(reached);
      expect(change.starts).toBe(reached === 'running');
      expect(change.finishes).toBe(['success', 'failed', 'canceled', 'skipped'].includes(to));
    }
  });

  it('[2/fields.pipeline/3 duration] seconds in which anything ran: overlaps once, gaps not', () => {
    const at = (second: number) => new Date(second * 1000);
    const period = (from: number, to: number) => ({ from: at(from), to: at(to) });
    expect(runningSeconds([])).toBe(0);
    expect(runningSeconds([period(0, 10), period(5, 12), period(20, 25), period(21, 22)])).toBe(17);
    expect(runningSeconds([period(20, 25), period(0, 10)])).toBe(15);
  });
});

describe('composite status', () => {
  const must = (status: JobStatus): StatusInput => ({ status, allowFailure: false });
  const may = (status: JobStatus): StatusInput => ({ status, allowFailure: true });
  const cases: Array<[string, StatusInput[], JobStatus | null, boolean?]> = [
    ['nothing', [], null],
    ['all passed', [must('success'), must('success')], 'success'],
    ['one failed', [must('success'), must('failed')], 'failed'],
    ['one that may fail failed', [must('success'), may('failed')], 'success', true],
    ['only one that may fail failed', [may('failed')], 'success', true],
    ['one that may fail was canceled', [must('success'), may('canceled')], 'success', true],
    ['failed and skipped', [must('failed'), must('skipped')], 'failed'],
    ['passed and skipped', [must('success'), must('skipped')], 'success'],
    ['all skipped', [must('skipped'), must('skipped')], 'skipped'],
    ['skipped and an optional manual job', [must('skipped'), may('manual')], 'skipped'],
    ['an optional manual job does not block', [must('success'), may('manual')], 'success'],
    ['a blocking manual job blocks', [must('success'), must('manual')], 'manual'],
    ['a blocking manual job and running ones', [must('running'), must('manual')], 'running'],
    ['canceled and passed', [must('canceled'), must('success')], 'canceled'],
    ['canceled and failed', [must('canceled'), must('failed')], 'failed'],
    ['all created', [must('created'), must('created')], 'created'],
    ['pending and created', [must('pending'), must('created')], 'pending'],
    ['passed and created', [must('success'), must('created')], 'running'],
    ['passed and pending', [must('success'), must('pending')], 'running'],
    ['running and created', [must('running'), must('created')], 'running'],
    ['canceling and running', [must('canceling'), must('running')], 'canceling'],
    ['waiting for a resource', [must('success'), must('waiting_for_resource')], 'waiting_for_resource'],
    ['scheduled', [must('success'), must('scheduled')], 'scheduled'],
    ['preparing alone', [must('preparing')], 'preparing'],
    ['passed and preparing', [must('success'), must('preparing')], 'preparing'],
    ['failed and created', [must('failed'), must('created')], 'running'],
  ];
  it.each(cases)('[2/states.pipeline-status/1] %s', (_name, inputs, status, warnings = false) => {
    expect(compositeStatus(inputs)).toEqual(status === null ? null : { status, warnings });
    // The order of jobs says nothing.
    expect(compositeStatus([...inputs].reverse())).toEqual(compositeStatus(inputs));
  });

  it.each([
    ['skipped ones skip what needs them', [must('success'), must('skipped')], 'skipped'],
    ['an optional manual one that was not played skips it', [must('success'), may('manual')], 'skipped'],
    ['one that may fail and did counts as passed', [may('failed'), must('success')], 'success'],
    ['failed', [must('failed'), must('success')], 'failed'],
    ['still running', [must('running'), must('success')], 'pending'],
  ] as Array<[string, StatusInput[], JobStatus]>)('[2/states.job-status/1] needs: %s', (_name, inputs, status) => {
    expect(compositeStatus(inputs, true)?.status).toBe(status);
  });
});
