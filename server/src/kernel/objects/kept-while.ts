/** Objects are not removed while a backup may still read them: they wait in the queue of deletions. */
import type { Db } from '../db/index.ts';
import { deferDeletion } from './deletions.queries.ts';
import type { ObjectStore } from './store.ts';

/** The same store, whose removals wait while a backup runs. */
export const keptWhileBackedUp = (objects: ObjectStore, db: Db): ObjectStore => ({
  ...objects,
  remove: async (key) => {
    if (!(await deferDeletion(db, key))) await objects.remove(key);
  },
});
