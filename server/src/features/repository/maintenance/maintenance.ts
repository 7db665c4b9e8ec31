/** Keeps repositories quick and small: packs, packed refs and the commit-graph follow what is pushed. In the background. */
import * as git from '@millrace/git';
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { addJob, type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { WritePath } from '../writes/write-path.ts';
import { forgetIntents } from '../writes/writes.queries.ts';
import { type CheckDependencies, repositoryChecks } from './checks.ts';
import { recordMaintenance, toMaintain } from './maintenance.queries.ts';

const payload = Type.Object({ project_id: Type.Integer() });
const maintainTask = { name: 'repository.maintain', maxAttempts: 3 };

/** After so long everything is packed anew, and what has been unreachable for two weeks is dropped. */
const daysBetweenFullRepacks = 14;
/** Settled writes are kept for whoever wants to know what happened. */
const intentDays = 7;
/** Of one night; the rest has its turn in the next ones. */
const mostAtNight = 2_000;

/** One at a time in all processes and nothing else beside it: maintenance must not compete with people. */
const ask = (db: Db, projectId: number) =>
  addJob(
    db,
    maintainTask,
    { project_id: projectId },
    { jobKey: `${maintainTask.name}:${projectId}`, queueName: maintainTask.name },
  );

/**
 * Asks for maintenance when it is due, in the transaction that moved the refs: after the first pushes, which bring whole
 * histories, and then every so many writes.
 */
export async function maintenanceDue(
  tx: Db,
  settings: Settings,
  projectId: number,
  at: { readonly refs_generation: number; readonly maintained_generation: number },
  via: string,
): Promise<void> {
  const { housekeeping_enabled: enabled, housekeeping_optimize_repository_period: period } = await settings.read();
  if (!enabled) return;
  const first = via === 'push' && at.refs_generation <= 3;
  if (first || at.refs_generation - at.maintained_generation >= period) await ask(tx, projectId);
}

export function repositoryMaintenance(deps: CheckDependencies & { readonly exclusively: WritePath['exclusively'] }): {
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  /** Now, whether it is due or not; with `full` everything into one pack. Writers wait. */
  maintain(project: Project, full: boolean): Promise<void>;
} {
  const { db, open } = deps;
  const checks = repositoryChecks(deps);

  async function maintain(project: Project, full: boolean): Promise<void> {
    await deps.exclusively(project, () => git.maintain(open(project), { full }));
    await recordMaintenance(db, project.id, project.refs_generation, full);
  }

  const one = defineTask(
    maintainTask.name,
    payload,
    async ({ project_id }) => {
      const project = await deps.project(db, project_id);
      if (!project || project.refs_generation === 0) return;
      const days = (Date.now() - project.repacked_at.getTime()) / 86_400_000;
      if (days > daysBetweenFullRepacks) return await maintain(project, true);
      await git.tend(open(project));
      await recordMaintenance(db, project.id, project.refs_generation, false);
    },
    { maxAttempts: maintainTask.maxAttempts, timeout: 3_600_000 },
  );
  /** Repositories that were written, but too seldom to be due by themselves. */
  const nightly = defineTask('repository.maintain_all', Type.Object({}), async () => {
    if (!(await deps.settings.read()).housekeeping_enabled) return;
    for (const id of await toMaintain(db, mostAtNight)) await ask(db, id);
  });
  const forget = defineTask('repository.forget_intents', Type.Object({}), async () => {
    while ((await forgetIntents(db, intentDays, 10_000)) === 10_000);
  });
  return {
    tasks: [one, nightly, forget, ...checks.tasks],
    cron: [
      { schedule: '41 2 * * *', task: nightly.name },
      { schedule: '23 * * * *', task: forget.name },
      ...checks.cron,
    ],
    maintain,
  };
}
