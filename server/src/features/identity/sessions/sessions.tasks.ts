/** Background work on sessions. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { deleteExpiredChallenges } from '../two-factor/two-factor.queries.ts';
import { deleteExpiredSessions } from './sessions.queries.ts';

const name = 'sessions.delete_expired';

export const sessionTasks = (db: Db): Task[] => [
  defineTask(name, Type.Object({}), async () => {
    await deleteExpiredSessions(db);
    await deleteExpiredChallenges(db);
  }),
];

export const sessionCron: readonly CronItem[] = [{ schedule: '17 3 * * *', task: name }];
