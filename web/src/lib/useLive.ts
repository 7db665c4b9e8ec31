/** Asks queries anew when the server says that their subject changed. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { cursorOf } from './cursors.ts';
import { subscribeTopics } from './live.ts';

/** Calls back with each of the topics that changes, from the state on in which what is under the keys was read. */
export function useTopics(
  topics: readonly string[],
  keys: readonly QueryKey[],
  callback: (topic: string | null) => void,
): void {
  const cache = useQueryClient();
  const topicText = topics.join(',');
  const keyText = JSON.stringify(keys);
  const changed = useEffectEvent(callback);
  useEffect(() => {
    if (topicText === '') return;
    return subscribeTopics(topicText.split(','), (topic) => changed(topic), cursorOf(cache, JSON.parse(keyText)));
  }, [cache, topicText, keyText]);
}

/** Invalidates the keys whenever one of the topics changes, from the state on that they were read in. */
export function useLive(topics: readonly string[], keys: readonly QueryKey[]): void {
  const cache = useQueryClient();
  useTopics(topics, keys, () => {
    for (const queryKey of keys) void cache.invalidateQueries({ queryKey });
  });
}
