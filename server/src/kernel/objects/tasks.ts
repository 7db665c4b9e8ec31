/** Background work of the object store. */
import Type from 'typebox';
import { type CronItem, defineTask, type Task } from '../queue/index.ts';
import type { ObjectStore } from './store.ts';

/** What dead processes left in flight is removed once a day. */
export function objectTasks(objects: Pick<ObjectStore, 'sweep'>): { tasks: Task[]; cron: CronItem[] } {
  const sweep = defineTask('objects.sweep', Type.Object({}), () => objects.sweep(), { maxAttempts: 1 });
  return { tasks: [sweep], cron: [{ schedule: '17 4 * * *', task: sweep.name }] };
}
