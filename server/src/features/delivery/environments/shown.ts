/** Changes of environments that nothing else tells of: those that a job makes are told with its pipeline. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { publish } from '../../../kernel/events/index.ts';

/** In a transaction of its own; whoever looks at the environments of the project sees it at once. */
export const shown = <T>(db: Db, projectId: number, change: (tx: Db) => Promise<T>): Promise<T> =>
  transaction(db, async (tx) => {
    const changed = await change(tx);
    await publish(tx, `project:${projectId}:pipelines`);
    return changed;
  });
