/** Auto-merge of requests that are not merged before a certain time. */
import Type from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';

const name = 'merge-requests.merge-after';

/** Whether it is still too early to merge a request. */
export const isEarly = ({ merge_after }: Pick<MergeRequest, 'merge_after'>): boolean =>
  merge_after !== null && merge_after.getTime() > Date.now();

/** Has a request that is set to auto-merge looked at when its time has come. */
export const mergeWhenDue = (tx: Db, { id, merge_after }: Pick<MergeRequest, 'id' | 'merge_after'>): Promise<void> =>
  addJob(
    tx,
    { name, maxAttempts: 10 },
    { merge_request_id: id },
    { jobKey: `${name}:${id}`, ...(merge_after ? { runAt: merge_after } : {}) },
  );

/** `merge` merges the request if it still waits and nothing else is in its way. */
export const mergeAfterTask = (merge: (id: number) => Promise<void>): Task =>
  defineTask(
    name,
    Type.Object({ merge_request_id: Type.Integer() }),
    async ({ merge_request_id }) => await merge(merge_request_id),
    { maxAttempts: 10 },
  );
