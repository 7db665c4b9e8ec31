/** Live updates: ids of what changed, from any process to the open pages of every process. */
import type { Listener } from '../db/index.ts';

export { publish } from './live.queries.ts';

import { liveChannel } from './live.queries.ts';

export interface Live {
  /** Calls back with a topic whenever something under it changed, and with null when changes may have been missed. */
  subscribe(topics: readonly string[], callback: (topic: string | null) => void): () => void;
}

/** The subscriptions of one process, over its one connection. */
export function createLive(listener: Pick<Listener, 'on' | 'onRestored'>): Live {
  const subscribers = new Map<string, Set<(topic: string | null) => void>>();
  listener.on(liveChannel, (topic) => {
    for (const callback of subscribers.get(topic) ?? []) callback(topic);
  });
  listener.onRestored(() => {
    for (const callback of new Set([...subscribers.values()].flatMap((callbacks) => [...callbacks]))) callback(null);
  });
  return {
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
  };
}
