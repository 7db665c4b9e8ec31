/** Every day tells of the open issues that are due on the next one, for the mails about them. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { issueDue, recordFact } from '../../../kernel/events/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { dueTomorrow } from './due.queries.ts';

const batch = 500;

/** In one transaction: a run that fails has told nothing. */
export async function tellDueIssues(db: Db): Promise<void> {
  await transaction(db, async (tx) => {
    let last = 0;
    for (;;) {
      const rows = await dueTomorrow(tx, last, batch);
      for (const { id, iid, project_id, author_id } of rows)
        await recordFact(tx, issueDue, { issue_id: id, iid }, { project_id, actor_id: author_id });
      if (rows.length < batch) return;
      last = rows.at(-1)?.id ?? last;
    }
  });
}

export function dueTask(db: Db): { readonly tasks: readonly Task[]; readonly cron: readonly CronItem[] } {
  const daily = defineTask('issues.due', Type.Object({}), () => tellDueIssues(db));
  return { tasks: [daily], cron: [{ task: daily.name, schedule: '50 0 * * *' }] };
}
