/** Asks queries anew when the server says that their subject changed. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { subscribeTopics } from './live.ts';

/** Invalidates the keys whenever one of the topics changes. */
export function useLive(topics: readonly string[], keys: readonly QueryKey[]): void {
  const cache = useQueryClient();
  const topicText = topics.join(',');
  const keyText = JSON.stringify(keys);
  useEffect(() => {
    if (topicText === '') return;
    const all = JSON.parse(keyText) as QueryKey[];
    return subscribeTopics(topicText.split(','), () => {
      for (const queryKey of all) void cache.invalidateQueries({ queryKey });
    });
  }, [cache, topicText, keyText]);
}
