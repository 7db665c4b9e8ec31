/** What several callers ask for at the same time, done once for all of them. */
import { setImmediate as arrived } from 'node:timers/promises';

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (answer: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs what callers bring under one key together: while `run` is busy with some, those who come wait and are the next. A run
 * begins when the requests that have arrived with its first are read, so that of many at once none has a run of its own;
 * after all of its callers asked, so that reads answer what is true now. `run` answers in the order of its items; when it
 * fails for several, each is tried by itself, and nobody fails for another's sake.
 */
export function together<I, O>(
  keyOf: (item: I) => string,
  run: (items: readonly [I, ...I[]]) => Promise<readonly O[]>,
  most = 100,
  ready: (() => Promise<unknown>) | null = arrived,
): (item: I) => Promise<O> {
  const lanes = new Map<string, Waiting<I, O>[]>();

  async function settle(taken: readonly Waiting<I, O>[]): Promise<void> {
    const [first, ...others] = taken;
    if (!first) return;
    try {
      const answers = await run([first.item, ...others.map(({ item }) => item)]);
      for (const [at, { resolve }] of taken.entries()) resolve(answers[at] as O);
    } catch (error) {
      if (others.length === 0) first.reject(error);
      else for (const each of taken) await settle([each]);
    }
  }

  async function drain(key: string, waiting: Waiting<I, O>[]): Promise<void> {
    while (waiting.length > 0) {
      if (ready) await ready();
      await settle(waiting.splice(0, most));
    }
    lanes.delete(key);
  }

  return (item) =>
    new Promise<O>((resolve, reject) => {
      const key = keyOf(item);
      const lane = lanes.get(key);
      if (lane) {
        lane.push({ item, resolve, reject });
        return;
      }
      const waiting = [{ item, resolve, reject }];
      lanes.set(key, waiting);
      void drain(key, waiting);
    });
}

/** A read that those who want the same at the same time share: one runs for each key, and one waits for it to end. */
export const sharedRead = <A, V>(
  keyOf: (asked: A) => string,
  load: (asked: A) => Promise<V>,
): ((asked: A) => Promise<V>) =>
  together<A, V>(
    keyOf,
    async (items) => {
      const value = await load(items[0]);
      return items.map(() => value);
    },
    Number.POSITIVE_INFINITY,
    // It begins with what else its caller reads, in one write.
    null,
  );
