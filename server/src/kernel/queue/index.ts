/** Background work and repeated work. The only caller of the queue library. */
export { addJob, addJobs, duePayload, jobExists, queueDepth } from './add.queries.ts';
export { nextRun, ScheduleError } from './cron.ts';
export { countJobs, findJob, jobStates, listJobs, type QueuedJob, removeJob, retryJob } from './jobs.queries.ts';
export { type QueueMeasures, queueMeasures } from './measures.queries.ts';
export { createQueue, type Queue } from './runner.ts';
export { migrateQueue } from './schema.ts';
export { type CronItem, defineTask, type Task, Unreached, unlessGone } from './task.ts';
