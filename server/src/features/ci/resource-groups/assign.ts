/** Gives the resource of a group to the job whose turn it is: one job of the group runs at a time. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import type { ResourceGroup } from '../../../kernel/db/rows.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findJobById, moveJob } from '../jobs/jobs.queries.ts';
import { lockPipeline, notifyPending } from '../scheduling/process.queries.ts';
import { assignResourceTask, processPipeline } from '../scheduling/process.ts';
import { findGroup, lockGroup, nextJob, waitingGroups } from './resource-groups.queries.ts';

const batch = 500;

export function resourceTasks(deps: CiDependencies): { tasks: Task[]; cron: CronItem[] } {
  const { db } = deps;

  async function assign(key: Pick<ResourceGroup, 'project_id' | 'key'>): Promise<void> {
    const group = await findGroup(db, key.project_id, key.key);
    const candidate = group && (await nextJob(db, group));
    if (!candidate) return;
    await transaction(db, async (tx) => {
      // The pipeline's lock comes first, as everywhere; then it is asked again whose turn it is.
      const pipeline = await lockPipeline(tx, candidate.pipeline_id);
      const locked = await lockGroup(tx, key);
      const next = locked && (await nextJob(tx, locked));
      if (!pipeline || next?.id !== candidate.id) return;
      await moveJob(tx, next.id, 'waiting_for_resource', 'pending');
      await notifyPending(tx);
      await deps.announce(tx, `job:${next.id}`);
      await processPipeline(deps, tx, pipeline.id, pipeline);
    });
  }

  const tasks = [
    defineTask(assignResourceTask, Type.Object({ job_id: Type.Integer() }), async ({ job_id: id }) => {
      const job = await findJobById(db, id);
      if (job?.resource_group) await assign({ project_id: job.project_id, key: job.resource_group });
    }),
    defineTask(
      'ci.sweep_resources',
      Type.Object({}),
      async (_payload, { signal }) => {
        for (const group of await waitingGroups(db, batch)) {
          if (signal.aborted) return;
          await assign(group);
        }
      },
      { maxAttempts: 1 },
    ),
  ];
  return { tasks, cron: [{ task: 'ci.sweep_resources', schedule: '* * * * *' }] };
}
