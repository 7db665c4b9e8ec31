/** A value from the database that every process keeps for a while and drops when another one changes it. */

/** What caches need of the connection that listens for changes made by other processes. */
export interface ChangeFeed {
  /** False while changes made elsewhere do not arrive; caches are then bypassed. */
  readonly connected: boolean;
  /** Calls back with the payload of every notification on the channel. */
  on(channel: string, callback: (payload: string) => void): void;
  /** Calls back when the connection is lost. */
  onLost(callback: () => void): void;
}

const lifetimeMilliseconds = 60_000;

export interface Kept<T> {
  /** The value as it is now; at most a minute old if a change was missed. */
  read(): Promise<T>;
  /** What was read last; null before the first time. */
  last(): T | null;
  /** For the process that changed it: its own notification comes later. */
  forget(): void;
}

/** Keeps what `load` reads. `now` is a monotonic clock in milliseconds. */
export function kept<T>(
  changes: ChangeFeed,
  channel: string,
  load: () => Promise<T>,
  now: () => number = () => performance.now(),
): Kept<T> {
  let entry: { values: Promise<T>; until: number } | undefined;
  let last: T | null = null;
  const forget = () => {
    entry = undefined;
  };
  changes.on(channel, forget);
  changes.onLost(forget);
  return {
    forget,
    last: () => last,
    read: () => {
      if (entry && entry.until > now() && changes.connected) return entry.values;
      const values = load();
      const mine = { values, until: now() + lifetimeMilliseconds };
      entry = mine;
      values.then(
        (read) => {
          if (entry === mine) last = read;
        },
        () => {
          if (entry === mine) entry = undefined;
        },
      );
      return values;
    },
  };
}
