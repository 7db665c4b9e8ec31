/** When trains are looked at: after pushes, pipelines and changes of their requests, and once in a while. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { type FactConsumer, mergeRequestFacts, on, pipelineFacts, pushed } from '../../../kernel/events/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import * as queries from './merge-trains.queries.ts';
import { advanceTask, lookAt } from './merge-trains.service.ts';
import type { trainWorker } from './worker.ts';

interface Following {
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  readonly consumers: readonly FactConsumer[];
}

export function trainFollowing(db: Db, { advance }: Pick<ReturnType<typeof trainWorker>, 'advance'>): Following {
  const all = async (trains: readonly queries.TrainKey[]) => {
    for (const train of trains) await lookAt(db, train);
  };
  // What no fact tells, such as a switched setting, and looks whose attempts are used up.
  const sweep = defineTask('merge-trains.sweep', Type.Object({}), async () => await all(await queries.allTrains(db)), {
    maxAttempts: 1,
  });
  return {
    tasks: [
      defineTask(
        advanceTask.name,
        Type.Object({ project_id: Type.Integer(), target_branch: Type.String() }),
        async (key) => await advance(key),
        { maxAttempts: advanceTask.maxAttempts, timeout: 600_000 },
      ),
      sweep,
    ],
    cron: [{ task: sweep.name, schedule: '* * * * *' }],
    consumers: [
      {
        name: 'merge-trains.follow',
        handlers: [
          on(pushed, async ({ payload, project_id }) => {
            const branch = /^refs\/heads\/(.+)$/.exec(payload.ref)?.[1];
            if (branch !== undefined && project_id !== null)
              await all(await queries.trainsOfBranch(db, project_id, branch));
          }),
          on(pipelineFacts.finished, async ({ payload }) =>
            all(await queries.trainOfPipeline(db, payload.pipeline_id)),
          ),
          on(
            [
              mergeRequestFacts.updated,
              mergeRequestFacts.closed,
              mergeRequestFacts.merged,
              mergeRequestFacts.head_changed,
            ],
            async ({ payload }) => all(await queries.trainOfRequest(db, payload.merge_request_id)),
          ),
        ],
      },
    ],
  };
}
