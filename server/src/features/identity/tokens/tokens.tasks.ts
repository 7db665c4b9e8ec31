/** Background work on access tokens. */
import Type from 'typebox';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Tokens } from './tokens.service.ts';

const name = 'tokens.sweep';

export const tokenTasks = (tokens: Pick<Tokens, 'sweep'>): Task[] => [
  defineTask(name, Type.Object({}), () => tokens.sweep()),
];

/** After midnight in UTC, when tokens expire. */
export const tokenCron: readonly CronItem[] = [{ schedule: '3 * * * *', task: name }];
