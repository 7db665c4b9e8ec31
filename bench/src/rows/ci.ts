/** How long people wait for their pipelines: first line of a log after a push, and the gap between jobs. */
import { newClone } from '../clone.ts';
import { type Context, type Loaded, spread } from '../context.ts';
import { git } from '../process.ts';
import type { Figure } from '../report.ts';
import type { Project, Target } from '../target.ts';
import { until } from '../waiting.ts';

interface Job {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

const patience = 60;
const every = 8;
const soon = <T>(what: string, probe: () => Promise<T | null | undefined>) => until(what, patience, probe, every);

const jobsOf = async ({ call }: Target, project: Project, sha: string): Promise<Job[] | null> => {
  const [pipeline] = await call<{ id: number }[]>('GET', `${project.api}/pipelines?sha=${sha}`);
  return pipeline ? call<Job[]>('GET', `${project.api}/pipelines/${pipeline.id}/jobs?per_page=100`) : null;
};

/** A clone of a new project whose next pushes run the configuration. */
async function prepare(context: Context, { target }: Loaded, config: string) {
  const { project, directory } = await newClone(target, 'bench-ci', context.directory, { '.gitlab-ci.yml': config });
  return {
    project,
    /** Milliseconds that the push took, when it had been acknowledged, and what was pushed. */
    async push(round: number) {
      await git(directory, ['commit', '--quiet', '--allow-empty', '-m', `Push ${round}`]);
      const begin = performance.now();
      await git(directory, ['push', '--quiet', 'origin', 'HEAD:refs/heads/main']);
      const acknowledged = performance.now();
      return { begin, acknowledged, sha: await git(directory, ['rev-parse', 'HEAD']) };
    },
  };
}

async function firstLines(
  context: Context,
  loaded: Loaded,
  pushes: number,
): Promise<{ log: number[]; whole: number[] }> {
  const { target } = loaded;
  const { project, push } = await prepare(context, loaded, 'first:\n  script:\n    - echo "line ""one"\n');
  const log: number[] = [];
  const whole: number[] = [];
  for (let round = -1; round < pushes; round++) {
    const { begin, acknowledged, sha } = await push(round);
    const job = await soon('the job', async () => (await jobsOf(target, project, sha))?.[0]);
    // The script's own output: its command line in the log has quotes in the middle.
    await soon('the first line', async () => {
      const trace = await target.call<unknown>('GET', `${project.api}/jobs/${job.id}/trace`);
      return String(trace).includes('line one') ? true : null;
    });
    const now = performance.now();
    await soon('the end of the job', async () => {
      const { status } = await target.call<Job>('GET', `${project.api}/jobs/${job.id}`);
      if (status === 'failed') throw new Error('the measured job failed');
      return status === 'success' ? true : null;
    });
    // The first starts the runner, which leaves when there is nothing to do for a while.
    if (round < 0) continue;
    log.push(now - acknowledged);
    whole.push(now - begin);
  }
  return { log, whole };
}

async function gaps(context: Context, loaded: Loaded, length: number): Promise<Figure> {
  const names = Array.from({ length }, (_item, index) => `job${index}`);
  const config = names
    .map((name, index) => `${name}:\n  needs: [${index ? names[index - 1] : ''}]\n  script: ["true"]\n`)
    .join('\n');
  const { project, push } = await prepare(context, loaded, config);
  const { sha } = await push(0);
  const jobs = await soon('the end of the pipeline', async () => {
    const now = await jobsOf(loaded.target, project, sha);
    if (now?.some(({ status }) => status === 'failed')) throw new Error('a measured job failed');
    return now?.length === length && now.every(({ status }) => status === 'success') ? now : null;
  });
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const times: number[] = [];
  for (let index = 1; index < length; index++) {
    const started = byName.get(`job${index}`)?.started_at;
    const ended = byName.get(`job${index - 1}`)?.finished_at;
    if (started && ended) times.push(Date.parse(started) - Date.parse(ended));
  }
  return spread(times);
}

export async function ci(context: Context): Promise<void> {
  const { ours, peer } = context;
  const mine = await firstLines(context, ours, 20);
  const theirs = peer ? await firstLines(context, peer, 20) : null;
  const figure = spread(mine.log);
  context.add({
    name: 'push acknowledged to first line of the script in the log',
    ours: figure,
    ...(theirs ? { peer: spread(theirs.log) } : {}),
    goal: { text: 'p95 < 500 ms', met: (figure.p95 ?? Number.NaN) < 500 },
    note: 'polled every 8 ms',
  });
  context.add({
    name: 'the same from the start of `git push`',
    ours: spread(mine.whole),
    ...(theirs ? { peer: spread(theirs.whole) } : {}),
  });
  context.add({
    name: 'job finished to next job started',
    ours: await gaps(context, ours, 20),
    ...(peer ? { peer: await gaps(context, peer, 20) } : {}),
  });
}
