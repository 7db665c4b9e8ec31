/** What is known of long lists for a while, so that they are not counted again with every page. */

/** The part of a time axis that a filter lets through; null where it is open. */
export interface TimeRange {
  readonly from: Date | null;
  readonly until: Date | null;
}

export interface LargeLists<T> {
  /** What was found lately about the list, or about the one with the same key within narrower ranges. */
  get(key: string, ranges?: readonly TimeRange[]): T | undefined;
  set(key: string, value: T, ranges?: readonly TimeRange[]): void;
}

interface Entry<T> {
  readonly value: T;
  readonly ranges: readonly TimeRange[];
  until: number;
  /** Whether somebody is counting the list again. */
  renewed: boolean;
}

/** A list that became shorter meanwhile is counted again after this time. */
const lifetimeMs = 60_000;
/** Who asks meanwhile hears what was known: a list that many ask for is counted by one of them. */
const renewalMs = 5_000;
const most = 2000;

const within = (inner: TimeRange, outer: TimeRange) =>
  (outer.from === null || (inner.from !== null && inner.from >= outer.from)) &&
  (outer.until === null || (inner.until !== null && inner.until <= outer.until));

/** Each process remembers its own: another one only counts once more. `now` is a monotonic clock in milliseconds. */
export function createLargeLists<T>(now: () => number = () => performance.now()): LargeLists<T> {
  const entries = new Map<string, Entry<T>>();
  return {
    get(key, ranges = []) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      if (entry.until <= now()) {
        // Of no use any more where nobody asked for it in all that time, or counted it anew.
        if (entry.renewed || entry.until + renewalMs <= now()) entries.delete(key);
        else {
          entry.renewed = true;
          entry.until += renewalMs;
        }
        return undefined;
      }
      return entry.ranges.every((inner, at) => within(inner, ranges[at] ?? inner)) ? entry.value : undefined;
    },
    set(key, value, ranges = []) {
      entries.delete(key);
      entries.set(key, { value, ranges, until: now() + lifetimeMs, renewed: false });
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
}

export type SharedRuns<T> = (name: string, work: () => Promise<T>) => Promise<T>;

/** Runs work once for all who ask before it begins; who asks while it runs waits for the next run, which sees what changed meanwhile. */
export function sharedRuns<T>(): SharedRuns<T> {
  const running = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Promise<T>>();
  function begin(name: string, work: () => Promise<T>): Promise<T> {
    const run = work();
    const ended = run.then(
      () => running.delete(name),
      () => running.delete(name),
    );
    running.set(name, ended);
    return run;
  }
  return (name: string, work: () => Promise<T>): Promise<T> => {
    const before = running.get(name);
    if (before === undefined) return begin(name, work);
    const shared = waiting.get(name);
    if (shared !== undefined) return shared;
    const next = before.then(() => {
      waiting.delete(name);
      return begin(name, work);
    });
    waiting.set(name, next);
    return next;
  };
}
