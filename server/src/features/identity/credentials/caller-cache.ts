/** What was read of a caller within the last second, by the hash of the credential. */
import type { Caller } from '../../../kernel/authz/subjects.ts';

const lifetimeMilliseconds = 1000;
const largest = 10_000;

export interface CallerCache {
  /** The caller of a key: from the cache or through `load`. Only found callers are kept. */
  get(key: string, load: () => Promise<Caller | null>): Promise<Caller | null>;
  /** Forgets everything, also what is being loaded right now. */
  clear(): void;
}

/**
 * `trusted` tells whether changes made elsewhere reach this process; while they do not, every request reads the row.
 * `now` is a monotonic clock in milliseconds.
 */
export function createCallerCache(trusted: () => boolean, now: () => number = () => performance.now()): CallerCache {
  let entries = new Map<string, { caller: Caller; until: number }>();
  return {
    get: async (key, load) => {
      if (!trusted()) return await load();
      const entry = entries.get(key);
      if (entry && entry.until > now()) return entry.caller;
      const generation = entries;
      const caller = await load();
      if (caller && generation === entries && trusted()) {
        if (entries.size >= largest) entries = new Map();
        entries.set(key, { caller, until: now() + lifetimeMilliseconds });
      }
      return caller;
    },
    clear: () => {
      entries = new Map();
    },
  };
}
