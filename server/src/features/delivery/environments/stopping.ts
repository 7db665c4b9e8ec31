/** Stopping environments: by people, when their time is over, and when what they show is gone. */
import { ZERO_SHA } from '@millrace/git';
import Type from 'typebox';
import type { Acting } from '../../../kernel/authz/acting.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Environment, Job } from '../../../kernel/db/rows.ts';
import { type FactConsumer, mergeRequestFacts, on, pushed } from '../../../kernel/events/index.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { JobsFace } from '../../ci/index.ts';
import { mayDeploy } from '../protected-environments/index.ts';
import * as queries from './environments.queries.ts';
import { forgetRefs, refsOfEnvironments } from './refs.ts';
import { shown } from './shown.ts';

export interface StoppingDependencies {
  readonly db: Db;
  readonly jobs: Pick<JobsFace, 'start' | 'startable'>;
  /** The person and the project as they are now; null when either is gone or blocked. */
  readonly actingAs: (userId: number, projectId: number) => Promise<Acting | null>;
  readonly log: { info(details: object, message: string): void };
}

/** Environments that one run of the clock stops. */
const batch = 200;
export type Stopping = ReturnType<typeof stopping>;

export function stopping(deps: StoppingDependencies) {
  const { db, jobs, log } = deps;

  const stopped = ({ id, project_id: project }: Environment): Promise<Environment | undefined> =>
    shown(db, project, (tx) => queries.updateEnvironment(tx, id, { state: 'stopped', auto_stop_at: null }));

  /** Starts the jobs that stop it; until one has ended, the environment is being stopped. */
  async function startJobs(
    subject: ProjectSubject,
    caller: Caller,
    { id }: Environment,
    started: readonly Job[],
  ): Promise<void> {
    // Marked first: the job may have ended when its start returns.
    const marked = await transaction(db, (tx) =>
      queries.moveEnvironment(tx, id, ['available'], { state: 'stopping', auto_stop_at: null }),
    );
    if (!marked) return;
    try {
      for (const job of started) await jobs.start(subject, caller, job);
    } catch (error) {
      await transaction(db, (tx) => queries.moveEnvironment(tx, id, ['stopping'], { state: 'available' }));
      throw error;
    }
  }

  /** Stops one: with its job, where it has one that can be started and that is not left out. */
  async function stop(
    subject: ProjectSubject,
    caller: Caller,
    environment: Environment,
    { force = false } = {},
  ): Promise<Environment> {
    if (environment.state === 'stopped') return environment;
    const found = force ? [] : await queries.stopJobsOf(db, environment.id);
    const startable = found.filter(jobs.startable);
    if (startable.length > 0) await startJobs(subject, caller, environment, startable);
    else if (found.length === 0) return (await stopped(environment)) ?? environment;
    return (await queries.findEnvironment(db, environment.project_id, environment.id)) ?? environment;
  }

  /** With the rights of whoever caused it; whoever may not start the job does not stop it. */
  async function stopFor(acting: Acting | null, environment: Environment, found: readonly Job[]): Promise<boolean> {
    try {
      const startable = found.filter(jobs.startable);
      if (!acting || startable.length === 0) return false;
      await startJobs(acting.subject, acting.caller, environment, startable);
      return true;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return false;
    }
  }

  /** One whose time is over: its job runs for whoever started the deployment's pipeline. */
  async function stopDue(environment: Environment): Promise<void> {
    const found = await queries.stopJobsOf(db, environment.id);
    const [job] = found;
    if (!job && environment.auto_stop_setting === 'always') {
      await stopped(environment);
      return;
    }
    const acting = job?.user_id ? await deps.actingAs(job.user_id, environment.project_id) : null;
    if (await stopFor(acting, environment, found)) return;
    log.info(
      { environment: environment.id, job: job?.id },
      'an environment was not stopped: its job cannot be started',
    );
    // Asked once, not every minute.
    await transaction(db, (tx) => queries.moveEnvironment(tx, environment.id, ['available'], { auto_stop_at: null }));
  }

  const task = defineTask(
    'environments.sweep',
    Type.Object({}),
    async (_payload, { signal }) => {
      for (const environment of await queries.dueEnvironments(db, batch)) {
        if (signal.aborted) return;
        await stopDue(environment);
      }
      await transaction(db, async (tx) => {
        const due = await queries.lockDueForDeletion(tx);
        if (due.length === 0) return;
        const refs = await refsOfEnvironments(tx, due);
        await queries.deleteEnvironments(tx, due);
        await forgetRefs(tx, refs);
      });
    },
    { maxAttempts: 1 },
  );

  const mayStop = async ({ caller, subject }: Acting, environment: Environment) =>
    canOnProject(caller, 'stop_environment', subject) && (await mayDeploy(db, environment, caller.user?.id ?? null));

  /** Those with a job that stops them by it, others at once unless they stop with a job only. */
  async function stopOf(source: queries.EnvironmentSource, acting: Acting): Promise<void> {
    for (const environment of await queries.environmentsOfSource(db, acting.subject.project.id, source)) {
      const found = await queries.stopJobsOf(db, environment.id);
      if (found.length > 0) await stopFor(acting, environment, found);
      else if (environment.auto_stop_setting === 'always' && environment.alone && (await mayStop(acting, environment)))
        await stopped(environment);
    }
  }

  const consumer: FactConsumer = {
    name: 'environments.stop',
    handlers: [
      on(pushed, async ({ payload: { ref, after }, project_id, actor_id }, delivery) => {
        const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
        if (branch === undefined || after !== ZERO_SHA || project_id === null || actor_id === null) return;
        const acting = await delivery.actingAs(actor_id, project_id);
        if (acting) await stopOf({ branch }, acting);
      }),
      on([mergeRequestFacts.merged, mergeRequestFacts.closed], async ({ payload, project_id, actor_id }, delivery) => {
        if (project_id === null || actor_id === null) return;
        const acting = await delivery.actingAs(actor_id, project_id);
        if (acting) await stopOf({ merge_request_id: payload.merge_request_id }, acting);
      }),
    ],
  };

  const tasks: Task[] = [task];
  const cron: CronItem[] = [{ task: task.name, schedule: '* * * * *' }];
  return { stop, tasks, cron, consumer };
}
