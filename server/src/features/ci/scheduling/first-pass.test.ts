/** Jobs of new pipelines begin as a pass over their rows would have them. */
import { describe, expect, it } from 'vitest';
import type { NewJob } from '../pipelines/pipelines.queries.ts';
import { advance, type Move, type When } from './advance.ts';
import { beginningOf } from './first-pass.ts';
import type { JobStatus } from './job-states.ts';

type Given = Partial<Omit<NewJob, 'needs'>> & { readonly needs?: readonly string[] | null };

const jobOf = ({ needs = null, ...given }: Given, at: number) =>
  ({
    ...{ name: `job ${at}`, kind: 'job', stage: 'test', stageIndex: 0, when: 'on_success', allowFailure: false },
    ...{ tags: [], interruptible: false, resourceGroup: null, environment: null },
    needs: needs?.map((name) => ({ name, artifacts: true })) ?? null,
    ...given,
  }) as unknown as NewJob;

describe('a new pipeline', () => {
  it.each<[what: string, jobs: Given[], statuses: JobStatus[], pipeline: JobStatus | null]>([
    ['waits with its first stage', [{}, { stageIndex: 1 }], ['pending', 'created'], 'pending'],
    ['waits for somebody', [{ when: 'manual' }, { stageIndex: 1 }], ['manual', 'created'], 'manual'],
    [
      'goes past what nobody needs to press',
      [{ when: 'manual', allowFailure: true }, { stageIndex: 1 }],
      ['manual', 'pending'],
      'pending',
    ],
    ['runs where somebody may press already', [{ when: 'manual' }, {}], ['manual', 'pending'], null],
    ['has ended where nothing can run', [{ when: 'on_failure' }], ['skipped'], null],
    [
      'waits for what is needed',
      [{}, { needs: ['job 0'] }, { needs: [] }],
      ['pending', 'created', 'pending'],
      'pending',
    ],
    ['has times to keep', [{ when: 'delayed' }, {}], ['created', 'pending'], null],
    ['has the queue to ask', [{ kind: 'bridge' }, {}], ['created', 'pending'], null],
    ['has turns to wait for', [{ resourceGroup: 'a' }, {}], ['created', 'pending'], null],
    ['deploys', [{ environment: 'a' }, {}], ['created', 'pending'], null],
  ])('%s', (_what, jobs, statuses, pipeline) => {
    expect(beginningOf(jobs.map(jobOf))).toEqual({ statuses, pipeline });
  });

  it('is left by a pass over its rows as one that begins with all jobs created', () => {
    let state = 7;
    const below = (most: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
    const words: When[] = ['on_success', 'on_success', 'on_failure', 'always', 'manual', 'delayed', 'never'];
    const after = { enqueue: 'pending', actionize: 'manual', schedule: 'scheduled', skip: 'skipped' } as const;
    for (let round = 0; round < 300; round++) {
      const jobs = Array.from({ length: 1 + below(8) }, (_none, at) =>
        jobOf(
          {
            ...{ stageIndex: below(3), when: words[below(words.length)] ?? 'always', allowFailure: below(2) === 0 },
            ...{ kind: below(6) === 0 ? 'bridge' : 'job', environment: below(6) === 0 ? 'live' : null },
            needs: at > 0 && below(3) === 0 ? [`job ${below(at)}`] : null,
          },
          at,
        ),
      );
      const passed = (statuses: readonly JobStatus[]) => {
        const rows = jobs.map(({ name, stageIndex, allowFailure, when, needs }, id) => ({
          ...{ id, name, stageIndex, allowFailure, when: when as When, status: statuses[id] ?? 'created' },
          needs: needs?.map((need) => need.name) ?? null,
        }));
        const ends = new Map(advance(rows).map(({ id, event }: Move) => [id, after[event]]));
        return rows.map(({ id, status }) => ends.get(id) ?? status);
      };
      const { statuses, pipeline } = beginningOf(jobs);
      expect(passed(statuses)).toEqual(passed([]));
      // Nothing is left to do where the pipeline has its status already.
      if (pipeline) expect(passed(statuses)).toEqual(statuses);
    }
  });
});
