/** Jobs of processes that died: without this they stay locked for four hours. */
import { type Db, type Listener, transaction, tryLockInTransaction } from '../db/index.ts';
import { lockingWorkers, unlockWorkers } from './add.queries.ts';

const lockName = 'queue-worker';

/** Marks a worker as alive for as long as this process has its session. */
export async function announceWorker(listener: Listener, worker: string): Promise<void> {
  await listener.hold(lockName, worker);
}

/** Ends it: what the worker still holds is free for others. */
export const retireWorker = (listener: Listener, worker: string): Promise<void> => listener.unlock(lockName, worker);

/** Gives back the jobs of every worker whose process is gone, and answers their names. */
export async function recoverDeadWorkers(db: Db, own: string): Promise<string[]> {
  const others = (await lockingWorkers(db)).filter((worker) => worker !== own);
  const dead: string[] = [];
  for (const worker of others) {
    await transaction(db, async (tx) => {
      if (!(await tryLockInTransaction(tx, lockName, worker))) return;
      await unlockWorkers(tx, [worker]);
      dead.push(worker);
    });
  }
  return dead;
}
