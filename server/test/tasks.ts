/** Tasks of the queue, run by a test itself: at once, and to their end. */
import type { Task } from '../src/kernel/queue/index.ts';
import type { TaskRun } from '../src/kernel/queue/task.ts';

/**
 * Runs a declared task, which fails where nobody declares it. Nothing ends it before it is done: a machine that is busy
 * takes its time, and what hangs is ended with the test.
 */
export async function runTask(
  { tasks }: { readonly tasks: readonly Task[] },
  name: string,
  payload: object = {},
  run: Partial<TaskRun> = {},
): Promise<void> {
  const task = tasks.find((each) => each.name === name);
  if (!task) throw new Error(`no task is called ${name}`);
  const { signal } = new AbortController();
  await task.run(payload, { signal, jobId: '1', attempt: 1, maxAttempts: 1, ...run });
}
