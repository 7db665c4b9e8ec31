/** Asks queries anew when the server says that their subject changed. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { cursorOf } from './cursors.ts';
import { subscribeTopics } from './live.ts';

/** Invalidates the keys whenever one of the topics changes, from the state on that they were read in. */
export function useLive(topics: readonly string[], keys: readonly QueryKey[]): void {
  const cache = useQueryClient();
  const topicText = topics.join(',');
  const keyText = JSON.stringify(keys);
  useEffect(() => {
    if (topicText === '') return;
    const all = JSON.parse(keyText) as QueryKey[];
    const changed = () => {
      for (const queryKey of all) void cache.invalidateQueries({ queryKey });
    };
    return subscribeTopics(topicText.split(','), changed, cursorOf(cache, all));
  }, [cache, topicText, keyText]);
}
