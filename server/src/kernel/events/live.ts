/** Live updates: ids of what changed, from any process to the open pages of every process. */
import { randomBytes } from 'node:crypto';
import type { Db, Listener } from '../db/index.ts';
import { publish } from './live.queries.ts';
import { liveChannel } from './outbox.queries.ts';

export { publish } from './live.queries.ts';

export interface Live {
  /** Resolves when cursors are available. */
  start(): Promise<void>;
  /** Calls back with a topic whenever something under it changed, and with null when changes may have been missed. */
  subscribe(topics: readonly string[], callback: (topic: string | null) => void): () => void;
  /**
   * Where the process is in the sequence of changes, in a form that every process understands. Taken before data is
   * read, it names what a later `since` has to report. Null while it is unknown.
   */
  cursor(): string | null;
  /** The topics that changed after a cursor; null when that cannot be said any more. */
  since(cursor: string): readonly string[] | null;
}

/** Changes that a process remembers: some minutes of a busy instance. */
const longestHistory = 8192;

const markPrefix = 'mark:';
const cursorPattern = /^([\w-]{12})\.(\d{1,15})$/;

/**
 * The subscriptions of one process, over its one connection.
 *
 * PostgreSQL delivers the notifications of a channel to every listener in the same order. So a process that begins to
 * listen publishes a mark, and "n notifications after that mark" is the same place for all that heard it: a cursor of one
 * process is good in another, without a table, a clock or a query per request.
 */
export function createLive(listener: Pick<Listener, 'on' | 'onLost' | 'onRestored' | 'ready'>, db: Db): Live {
  const subscribers = new Map<string, Set<(topic: string | null) => void>>();
  /** The topics that were heard last; the first of them is number `dropped`. */
  let history: string[] = [];
  let dropped = 0;
  /** The number of the topic that followed each mark; the newest mark is the last. */
  const marks = new Map<string, number>();
  let newest: string | null = null;
  let marking: Promise<void> | null = null;
  const marked = Promise.withResolvers<void>();

  function forget(): void {
    history = [];
    dropped = 0;
    marks.clear();
    newest = null;
  }

  function trim(): void {
    if (history.length < 2 * longestHistory) return;
    dropped += history.length - longestHistory;
    history = history.slice(-longestHistory);
  }

  /** Of any process: from here on this one hears everything. */
  function hear(mark: string): void {
    newest = mark;
    marks.set(mark, dropped + history.length);
    marked.resolve();
    // Nobody comes back with a cursor of a hundred restarts ago.
    if (marks.size > 100) marks.delete([...marks.keys()][0] ?? '');
  }

  /** Publishes a mark unless one is on its way. */
  function mark(): Promise<void> {
    marking ??= (async () => {
      await listener.ready();
      await publish(db, `${markPrefix}${randomBytes(9).toString('base64url')}`);
    })().finally(() => {
      marking = null;
    });
    return marking;
  }

  listener.on(liveChannel, (topic) => {
    if (topic.startsWith(markPrefix)) {
      hear(topic.slice(markPrefix.length));
      return;
    }
    if (newest !== null) {
      history.push(topic);
      trim();
    }
    for (const callback of subscribers.get(topic) ?? []) callback(topic);
  });
  listener.onLost(forget);
  listener.onRestored(() => {
    mark().catch(() => undefined);
    for (const callback of new Set([...subscribers.values()].flatMap((callbacks) => [...callbacks]))) callback(null);
  });
  return {
    start: async () => {
      await mark();
      await marked.promise;
    },
    subscribe: (topics, callback) => {
      for (const topic of topics) {
        const callbacks = subscribers.get(topic) ?? new Set();
        subscribers.set(topic, callbacks.add(callback));
      }
      return () => {
        for (const topic of topics) {
          const callbacks = subscribers.get(topic);
          callbacks?.delete(callback);
          if (callbacks?.size === 0) subscribers.delete(topic);
        }
      };
    },
    cursor: () => {
      if (newest !== null) return `${newest}.${dropped + history.length - (marks.get(newest) ?? 0)}`;
      // The mark was not published or did not arrive yet; until it does, pages read again.
      mark().catch(() => undefined);
      return null;
    },
    since: (cursor) => {
      const [, name = '', offset = ''] = cursorPattern.exec(cursor) ?? [];
      const begin = marks.get(name);
      if (begin === undefined) return null;
      const place = begin + Number(offset) - dropped;
      return place < 0 ? null : [...new Set(history.slice(place))];
    },
  };
}
