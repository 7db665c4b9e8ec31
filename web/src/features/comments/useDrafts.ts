/** One's own pending comments on a merge request. They are asked for only where it has any. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type DraftNote, draftsOf } from '../../lib/reviews.ts';

export interface Drafts {
  readonly drafts: readonly DraftNote[];
  /** Asks for them after one was added, changed or removed. */
  again(): Promise<unknown>;
}

const none: readonly DraftNote[] = [];

/** `counted`: how many the merge request had when it was loaded. */
export function useDrafts(path: string, iid: number, counted: number): Drafts {
  const cache = useQueryClient();
  const query = draftsOf(path, iid);
  const enabled = counted > 0 || cache.getQueryData(query.queryKey) !== undefined;
  const { data: drafts = none } = useQuery({ ...query, enabled });
  const again = useCallback(() => cache.fetchQuery({ ...draftsOf(path, iid), staleTime: 0 }), [cache, path, iid]);
  return { drafts, again };
}
