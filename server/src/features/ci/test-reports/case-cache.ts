/**
 * The test cases of jobs as they were read last, so that looking at a report again unpacks nothing. A report never changes:
 * whoever asks has read from the database that it is still there.
 */
import type { TestCase } from './junit.ts';

/** Bytes of unpacked reports that one process keeps. */
const maxBytes = 32 * 1024 * 1024;

export interface CaseCache {
  /** The cases of a job's report of so many bytes; `read` brings them where they are not known. */
  of(jobId: number, bytes: number, read: () => Promise<readonly TestCase[]>): Promise<readonly TestCase[]>;
}

export function createCaseCache(limit: number = maxBytes): CaseCache {
  // A map remembers the order in which keys were set: the first is what nobody has asked for longest.
  const known = new Map<number, { readonly bytes: number; readonly cases: readonly TestCase[] }>();
  let used = 0;
  const forget = (jobId: number) => {
    used -= known.get(jobId)?.bytes ?? 0;
    known.delete(jobId);
  };
  return {
    async of(jobId, bytes, read) {
      const found = known.get(jobId);
      if (found) {
        known.delete(jobId);
        known.set(jobId, found);
        return found.cases;
      }
      const cases = await read();
      if (bytes > limit) return cases;
      forget(jobId);
      known.set(jobId, { bytes, cases });
      used += bytes;
      for (const oldest of known.keys()) {
        if (used <= limit) break;
        forget(oldest);
      }
      return cases;
    },
  };
}
