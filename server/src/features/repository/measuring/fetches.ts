/** Counting fetches: in memory, written every few seconds, so that a fetch costs no statement. */
import type { Db } from '../../../kernel/db/index.ts';
import { addFetches } from './measuring.queries.ts';

const interval = 5_000;

export interface FetchCounter {
  count(projectId: number): void;
  /** Writes what is pending. */
  flush(): Promise<void>;
}

export function fetchCounter(db: Db, failed: (error: unknown) => void): FetchCounter {
  let pending = new Map<number, number>();
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    const counts = pending;
    pending = new Map();
    if (counts.size > 0) await addFetches(db, counts).catch(failed);
  }
  const flush = (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    writing = writing.then(write);
    return writing;
  };

  return {
    count(projectId) {
      pending.set(projectId, (pending.get(projectId) ?? 0) + 1);
      timer ??= setTimeout(() => void flush(), interval).unref();
    },
    flush,
  };
}
