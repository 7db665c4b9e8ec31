/** What becomes of waiting jobs, as scenarios: names and states in, moves out. */
import { describe, expect, it } from 'vitest';
import { advance, dependents, type WaitingJob, type When } from './advance.ts';
import type { JobStatus } from './job-states.ts';

type Short = [name: string, stage: number, status: JobStatus, more?: { when?: When; needs?: string[]; may?: true }];

const jobsOf = (list: readonly Short[]): WaitingJob[] =>
  list.map(([name, stageIndex, status, more = {}], index) => ({
    id: index + 1,
    name,
    stageIndex,
    status,
    when: more.when ?? 'on_success',
    needs: more.needs ?? null,
    allowFailure: more.may ?? false,
  }));

const movesOf = (list: readonly Short[]): Record<string, string> => {
  const jobs = jobsOf(list);
  return Object.fromEntries(
    advance(jobs).map((move) => [jobs.find((job) => job.id === move.id)?.name ?? '', move.event]),
  );
};

const scenarios: Array<[string, Short[], Record<string, string>]> = [
  [
    'the first stage starts',
    [
      ['a', 0, 'created'],
      ['b', 0, 'created'],
      ['c', 1, 'created'],
    ],
    { a: 'enqueue', b: 'enqueue' },
  ],
  [
    'a stage waits for all of the one before',
    [
      ['a', 0, 'success'],
      ['b', 0, 'running'],
      ['c', 1, 'created'],
    ],
    {},
  ],
  [
    'the next stage starts',
    [
      ['a', 0, 'success'],
      ['b', 0, 'success'],
      ['c', 1, 'created'],
    ],
    { c: 'enqueue' },
  ],
  [
    'a failure skips what follows, runs on_failure and always',
    [
      ['a', 0, 'failed'],
      ['b', 1, 'created'],
      ['clean', 1, 'created', { when: 'on_failure' }],
      ['last', 2, 'created', { when: 'always' }],
    ],
    { b: 'skip', clean: 'enqueue' },
  ],
  [
    'always runs when the rest has ended',
    [
      ['a', 0, 'failed'],
      ['b', 1, 'skipped'],
      ['clean', 1, 'success', { when: 'on_failure' }],
      ['last', 2, 'created', { when: 'always' }],
    ],
    { last: 'enqueue' },
  ],
  [
    'on_failure is skipped when nothing failed, and what follows runs',
    [
      ['a', 0, 'success'],
      ['clean', 1, 'created', { when: 'on_failure' }],
      ['b', 2, 'created'],
    ],
    { clean: 'skip', b: 'enqueue' },
  ],
  [
    'a failure that is allowed stops nothing',
    [
      ['a', 0, 'failed', { may: true }],
      ['b', 1, 'created'],
    ],
    { b: 'enqueue' },
  ],
  [
    'manual jobs wait for people; optional ones do not block',
    [
      ['a', 0, 'created', { when: 'manual', may: true }],
      ['b', 1, 'created'],
    ],
    { a: 'actionize', b: 'enqueue' },
  ],
  [
    'a blocking manual job blocks',
    [
      ['a', 0, 'created', { when: 'manual' }],
      ['b', 1, 'created'],
    ],
    { a: 'actionize' },
  ],
  [
    'delayed jobs are scheduled',
    [
      ['a', 0, 'created', { when: 'delayed' }],
      ['b', 1, 'created'],
    ],
    { a: 'schedule' },
  ],
  [
    'needs start across stages',
    [
      ['a', 0, 'success'],
      ['slow', 0, 'running'],
      ['b', 1, 'created', { needs: ['a'] }],
      ['c', 2, 'created', { needs: ['b'] }],
      ['d', 2, 'created', { needs: [] }],
      ['e', 2, 'created'],
    ],
    { b: 'enqueue', d: 'enqueue' },
  ],
  [
    'a failed need skips its chain at once',
    [
      ['a', 0, 'failed'],
      ['slow', 0, 'running'],
      ['b', 1, 'created', { needs: ['a'] }],
      ['c', 2, 'created', { needs: ['b'] }],
    ],
    { b: 'skip', c: 'skip' },
  ],
  [
    'needs within one stage, listed backwards',
    [
      ['second', 0, 'created', { needs: ['first'] }],
      ['first', 0, 'success'],
    ],
    { second: 'enqueue' },
  ],
  [
    'what needs an optional manual job is skipped until that is played',
    [
      ['a', 0, 'manual', { may: true }],
      ['b', 1, 'created', { needs: ['a'] }],
      ['c', 1, 'created', { needs: ['a'], when: 'always' }],
      ['d', 2, 'created'],
    ],
    { b: 'skip', c: 'enqueue' },
  ],
];

describe('advance', () => {
  it.each(scenarios)('[2/states.job-status/1] %s', (_name, jobs, moves) => {
    expect(movesOf(jobs)).toEqual(moves);
  });

  it('has nothing more to do after its own moves', () => {
    for (const [, list] of scenarios) {
      const jobs = jobsOf(list);
      const after = { enqueue: 'pending', actionize: 'manual', schedule: 'scheduled', skip: 'skipped' } as const;
      const moves = new Map(advance(jobs).map((move) => [move.id, after[move.event]]));
      expect(advance(jobs.map((job) => ({ ...job, status: moves.get(job.id) ?? job.status })))).toEqual([]);
    }
  });

  it('a thousand jobs in five stages are decided in a moment', () => {
    const jobs = jobsOf(
      Array.from(
        { length: 1000 },
        (_, index): Short => [`job ${index}`, index % 5, index % 5 < 2 ? 'success' : 'created'],
      ),
    );
    const before = process.cpuUsage();
    expect(advance(jobs)).toHaveLength(200);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  });
});

describe('dependents', () => {
  it('follows stages and needs, not what is beside', () => {
    const jobs = jobsOf([
      ['a', 0, 'failed'],
      ['other', 0, 'success'],
      ['b', 1, 'skipped', { needs: ['a'] }],
      ['c', 2, 'skipped', { needs: ['b'] }],
      ['d', 2, 'skipped', { needs: ['other'] }],
      ['e', 3, 'skipped'],
    ]);
    expect(dependents(jobs, new Set(['a'])).map((job) => job.name)).toEqual(['b', 'c', 'e']);
  });
});
