/** Once a night what projects store is counted anew, should a sum ever have gone wrong. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { projectsAfter, recount } from './statistics.queries.ts';

const atOnce = 500;

export function recountingTask(db: Db): { task: Task; cron: CronItem } {
  const task = defineTask(
    'namespaces.recount_statistics',
    Type.Object({}),
    async (_payload, { signal }) => {
      let ids = await projectsAfter(db, 0, atOnce);
      while (ids.length > 0 && !signal.aborted) {
        const wanted = ids;
        await transaction(db, (tx) => recount(tx, wanted));
        ids = await projectsAfter(db, wanted.at(-1) ?? 0, atOnce);
      }
    },
    { timeout: 3_600_000 },
  );
  return { task, cron: { schedule: '41 3 * * *', task: task.name } };
}
