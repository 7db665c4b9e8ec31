/** Background work and repeated work. The only caller of the queue library. */
export { addJob, type JobOptions, queueDepth, removeJob } from './add.queries.ts';
export { nextRun, ScheduleError } from './cron.ts';
export { createQueue, type Queue, type QueueOptions } from './runner.ts';
export { migrateQueue } from './schema.ts';
export {
  type CronItem,
  defineTask,
  PayloadError,
  type Task,
  type TaskOptions,
  type TaskReference,
  type TaskRun,
} from './task.ts';
