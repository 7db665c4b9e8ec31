/** Ends what people whose access was taken have running or waiting, and switches off their schedules. */
import { isBlocked } from '../../../kernel/authz/blocked.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { type Fact, type FactConsumer, type FactDelivery, on, userBlocked } from '../../../kernel/events/index.ts';
import type { CiDependencies } from '../deps.ts';
import { endOne } from '../jobs/finish.ts';
import { lockJob, lockJobsInStatuses } from '../jobs/jobs.queries.ts';
import { deactivateSchedulesOf } from '../schedules/schedules.queries.ts';
import { cancelableStatuses } from './job-states.ts';
import { activePipelinesOf, lockPipeline } from './process.queries.ts';
import { processPipeline } from './process.ts';

/** Pipelines that are looked for at once. */
const batch = 100;

export function blockedUsers(deps: CiDependencies): FactConsumer {
  const { db } = deps;

  async function drop(tx: Db, pipelineId: number): Promise<void> {
    const pipeline = await lockPipeline(tx, pipelineId);
    if (!pipeline) return;
    for (const { id } of await lockJobsInStatuses(tx, pipelineId, [...cancelableStatuses])) {
      const job = await lockJob(tx, id);
      if (job) await endOne(deps, tx, job, { event: 'drop', failureReason: 'user_blocked' });
    }
    await processPipeline(deps, tx, pipelineId, pipeline);
  }

  async function blocked({ payload }: Fact<typeof userBlocked>, { signal, user }: FactDelivery): Promise<void> {
    const { user_id: id } = payload;
    const found = await user(id);
    // Let in again meanwhile.
    if (found && !isBlocked(found)) return;
    await transaction(db, async (tx) => deactivateSchedulesOf(tx, id));
    for (let after = 0; ; ) {
      const ids = await activePipelinesOf(db, id, after, batch);
      for (const pipelineId of ids) {
        signal.throwIfAborted();
        await transaction(db, async (tx) => drop(tx, pipelineId));
        after = pipelineId;
      }
      if (ids.length < batch) return;
    }
  }

  return { name: 'ci.blocked-users', handlers: [on(userBlocked, blocked)] };
}
