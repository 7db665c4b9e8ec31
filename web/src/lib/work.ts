/** What waits for the person who is signed in: the number in the bar at the top. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './api.ts';
import { counted } from './counted.ts';

export const workCounts = () =>
  queryOptions({
    queryKey: ['work', 'counts'],
    queryFn: () => unwrap(client.GET('/user_counts')),
    staleTime: 20_000,
    refetchInterval: 60_000,
  });

/** `1 merge request needs your review, 2 pipelines failed`; null where nothing waits. */
export function workSentence(counts: {
  readonly assigned_merge_requests: number;
  readonly review_requested_merge_requests: number;
  readonly failed_pipelines: number;
  readonly todos: number;
}): string | null {
  const { review_requested_merge_requests: reviews, assigned_merge_requests: assigned } = counts;
  const { failed_pipelines: failed, todos } = counts;
  const parts = [
    ...(reviews > 0 ? [counted(reviews, 'merge request needs your review', 'merge requests need your review')] : []),
    ...(assigned > 0
      ? [counted(assigned, 'merge request is assigned to you', 'merge requests are assigned to you')]
      : []),
    ...(failed > 0 ? [counted(failed, 'of your pipelines failed', 'of your pipelines failed')] : []),
    ...(todos > 0 ? [counted(todos, 'to-do', 'to-dos')] : []),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
