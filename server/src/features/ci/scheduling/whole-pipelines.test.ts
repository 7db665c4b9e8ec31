/** Pipelines from their first pass to their end, as the ecosystem runs them: events in, statuses of pipeline and jobs out. */
import { expect, it } from 'vitest';
import { advance, dependents, type WaitingJob, type When } from './advance.ts';
import { compositeStatus } from './composite-status.ts';
import type { JobStatus } from './job-states.ts';
import { pipelineChange } from './pipeline-states.ts';

type More = { when?: When; needs?: string[]; may?: boolean };
type Short = [name: string, stage: number, more?: More];
/** An event with the jobs that it is of, and what follows: the pipeline's status, then those of its jobs, in order. */
type Step = [event: string, pipeline: JobStatus, jobs: string];

const after = { enqueue: 'pending', actionize: 'manual', schedule: 'scheduled', skip: 'skipped' } as const;
const ends: Readonly<Record<string, JobStatus>> = {
  success: 'success',
  drop: 'failed',
  cancel: 'canceled',
  run: 'running',
};

function pipelineOf(list: readonly Short[]) {
  let jobs = list.map(
    ([name, stageIndex, more = {}], index): WaitingJob => ({
      ...{ id: index + 1, name, stageIndex, status: 'created', needs: more.needs ?? null },
      when: more.when ?? 'on_success',
      allowFailure: more.may ?? more.when === 'manual',
    }),
  );
  const set = (names: readonly string[], status: JobStatus) => {
    jobs = jobs.map((job) => (names.includes(job.name) ? { ...job, status } : job));
  };
  const settle = () => {
    for (const { id, event } of advance(jobs))
      jobs = jobs.map((job) => (job.id === id ? { ...job, status: after[event] } : job));
  };
  const wake = (names: readonly string[]) => {
    const following = dependents(jobs, new Set(names)).filter(({ status }) => status === 'skipped');
    set(
      following.map(({ name }) => name),
      'created',
    );
  };
  let status: JobStatus = 'created';
  const act = (event: string) => {
    const [what = '', ...named] = event.split(' ');
    const names =
      named.length > 0
        ? named
        : jobs.filter(({ status }) => ['failed', 'canceled'].includes(status)).map(({ name }) => name);
    const again = what === 'play' || what === 'retry';
    set(names, again ? (named.length > 0 ? 'pending' : 'created') : (ends[what] ?? 'created'));
    if (again) wake(names);
    settle();
    const computed = compositeStatus(jobs)?.status ?? status;
    status = pipelineChange(status, computed)?.status ?? status;
  };
  return {
    act,
    shown: () => [status, jobs.map((job) => job.status).join(' ')],
  };
}

const manual = { when: 'manual' } as const;
const cases: [title: string, jobs: Short[], steps: Step[]][] = [
  [
    'a manual job that others need: they are skipped until it is played',
    [
      ['test', 1, manual],
      ['deploy', 2, { needs: ['test'] }],
    ],
    [
      ['start', 'skipped', 'manual skipped'],
      ['play test', 'pending', 'pending created'],
      ['run test', 'running', 'running created'],
      ['drop test', 'running', 'failed pending'],
      ['success deploy', 'success', 'failed success'],
    ],
  ],
  [
    'a manual job that must not fail blocks those that need it',
    [
      ['test', 1, { when: 'manual', may: false }],
      ['deploy', 2, { needs: ['test'] }],
    ],
    [
      ['start', 'manual', 'manual created'],
      ['play test', 'pending', 'pending created'],
      ['success test', 'running', 'success pending'],
      ['success deploy', 'success', 'success success'],
    ],
  ],
  [
    'always runs whatever the manual job does',
    [
      ['test', 1, manual],
      ['deploy', 2, { needs: ['test'], when: 'always' }],
    ],
    [['start', 'pending', 'manual pending']],
  ],
  [
    'always waits for a manual job that must not fail',
    [
      ['test', 1, { when: 'manual', may: false }],
      ['deploy', 2, { needs: ['test'], when: 'always' }],
    ],
    [
      ['start', 'manual', 'manual created'],
      ['play test', 'pending', 'pending created'],
      ['drop test', 'running', 'failed pending'],
    ],
  ],
  [
    'one of two needs is manual',
    [
      ['test1', 1],
      ['test2', 1, manual],
      ['deploy', 2, { needs: ['test1', 'test2'] }],
    ],
    [
      ['start', 'pending', 'pending manual skipped'],
      ['success test1', 'success', 'success manual skipped'],
    ],
  ],
  [
    'two manual jobs, and what needs each of them',
    [
      ['build', 0],
      ['test', 1],
      ['release1', 1, manual],
      ['release2', 1, manual],
      ['review', 2, { needs: ['test', 'release1', 'release2'] }],
      ['staging', 3, { needs: ['release1'] }],
      ['production', 3, { needs: ['release2'] }],
      ['after', 4, { needs: ['production'] }],
      ['failure', 4, { when: 'on_failure' }],
    ],
    [
      ['start', 'pending', 'pending created created created created created created created created'],
      ['success build', 'running', 'success pending manual manual skipped skipped skipped skipped created'],
      ['success test', 'success', 'success success manual manual skipped skipped skipped skipped skipped'],
      ['play release1', 'running', 'success success pending manual skipped created skipped skipped created'],
      ['success release1', 'running', 'success success success manual skipped pending skipped skipped created'],
      ['success staging', 'success', 'success success success manual skipped success skipped skipped skipped'],
    ],
  ],
  [
    'a stage after a manual job goes on',
    [
      ['build', 0],
      ['test', 1, manual],
      ['post', 2, { needs: ['test'] }],
      ['deploy', 3],
    ],
    [
      ['start', 'pending', 'pending created created created'],
      ['success build', 'running', 'success manual skipped pending'],
    ],
  ],
  [
    'only what needs the played job wakes up',
    [
      ['a', 0, manual],
      ['b', 1, manual],
      ['c', 2, { needs: ['b'] }],
      ['d', 2, { needs: ['a'] }],
    ],
    [
      ['start', 'skipped', 'manual manual skipped skipped'],
      ['play b', 'pending', 'manual pending created skipped'],
    ],
  ],
  [
    'manual jobs that follow each other in one stage',
    [
      ['job1', 1, manual],
      ['job2', 1, { needs: ['job1'] }],
      ['job3', 1, { when: 'manual', needs: ['job2'] }],
      ['job4', 1, { needs: ['job3'] }],
    ],
    [
      ['start', 'skipped', 'manual skipped skipped skipped'],
      ['play job1', 'pending', 'pending created created created'],
      ['success job1', 'running', 'success pending created created'],
      ['success job2', 'success', 'success success manual skipped'],
    ],
  ],
  [
    'a retry wakes what was skipped, but for what needs a manual job',
    [
      ['build', 1],
      ['test1', 1, { needs: ['build'] }],
      ['test2', 1, manual],
      ['deploy', 1, { needs: ['test1', 'test2'] }],
    ],
    [
      ['start', 'pending', 'pending created manual skipped'],
      ['drop build', 'failed', 'failed skipped manual skipped'],
      ['retry build', 'running', 'pending created manual skipped'],
      ['success build', 'running', 'success pending manual skipped'],
    ],
  ],
  [
    'a retry of the pipeline makes a failed manual job wait again',
    [
      ['test1', 1],
      ['test2', 1, manual],
    ],
    [
      ['start', 'pending', 'pending manual'],
      ['success test1', 'success', 'success manual'],
      ['play test2', 'running', 'success pending'],
      ['drop test2', 'success', 'success failed'],
      ['retry', 'success', 'success manual'],
    ],
  ],
  [
    'a canceled job skips what follows',
    [
      ['build', 0],
      ['test1', 1],
      ['test2', 1, { when: 'on_failure' }],
      ['deploy', 2],
    ],
    [
      ['start', 'pending', 'pending created created created'],
      ['cancel build', 'canceled', 'canceled skipped skipped skipped'],
    ],
  ],
  [
    'a canceled job that may fail does not',
    [
      ['build', 0, { may: true }],
      ['test1', 1],
      ['test2', 1, { when: 'on_failure' }],
      ['deploy', 2],
    ],
    [
      ['start', 'pending', 'pending created created created'],
      ['cancel build', 'pending', 'canceled pending skipped created'],
    ],
  ],
  [
    'on_failure with needs: one was skipped, and so is it',
    [
      ['build', 0],
      ['test', 1],
      ['deploy', 2, { needs: ['build', 'test'] }],
      ['rollback', 2, { needs: ['build', 'test'], when: 'on_failure' }],
    ],
    [
      ['start', 'pending', 'pending created created created'],
      ['drop build', 'failed', 'failed skipped skipped skipped'],
    ],
  ],
  [
    'always with a need that was skipped',
    [
      ['build1', 0],
      ['build2', 0],
      ['test', 1],
      ['deploy', 2, { needs: ['build1', 'test'], when: 'always' }],
    ],
    [
      ['start', 'pending', 'pending pending created created'],
      ['success build1', 'running', 'success pending created created'],
      ['drop build2', 'running', 'success failed skipped pending'],
    ],
  ],
  [
    'on_failure where nothing comes before',
    [
      ['test1', 1, { needs: [] }],
      ['test2', 1, { needs: [], when: 'on_failure' }],
      ['test3', 1, { when: 'on_failure' }],
    ],
    [
      ['start', 'pending', 'pending skipped skipped'],
      ['success test1', 'success', 'success skipped skipped'],
    ],
  ],
  [
    'on_failure of a need that may fail',
    [
      ['build', 0, { may: true }],
      ['test', 1, { needs: ['build'], when: 'on_failure' }],
      ['deploy', 2, { needs: ['test'] }],
    ],
    [
      ['start', 'pending', 'pending created created'],
      ['drop build', 'success', 'failed skipped skipped'],
    ],
  ],
];

it.each(cases)('[20/8] %s', (_title, jobs, steps) => {
  const pipeline = pipelineOf(jobs);
  for (const [event, status, expected] of steps) {
    pipeline.act(event);
    expect([event, ...pipeline.shown()]).toEqual([event, status, expected]);
  }
});
