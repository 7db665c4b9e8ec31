/** The merge train of a branch: what waits, and what was merged lately. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type TrainEntry = Schemas['MergeTrainEntry'];

export const mergeTrainKey = (id: string) => ['project', id, 'merge-train'];

const entries = (id: string, target_branch: string, query: { scope: 'active' | 'complete'; sort: 'asc' | 'desc' }) =>
  unwrapPage(
    client.GET('/projects/{id}/merge_trains/{target_branch}', {
      params: { path: { id, target_branch }, query: { ...query, per_page: 50 } },
    }),
  );

export const mergeTrain = (id: string, branch: string) =>
  queryOptions({
    queryKey: [...mergeTrainKey(id), branch],
    async queryFn() {
      const [waiting, merged] = await Promise.all([
        entries(id, branch, { scope: 'active', sort: 'asc' }),
        entries(id, branch, { scope: 'complete', sort: 'desc' }),
      ]);
      return { waiting: waiting.items, merged: merged.items };
    },
  });

/** What an entry waits for; `ahead` is the one in front of it. */
export function waitsFor(entry: TrainEntry, ahead: TrainEntry | undefined): string {
  if (entry.status === 'merging') return 'Merging';
  if (entry.status === 'stale') return 'Being rebuilt on top of the merge requests ahead';
  if (entry.status === 'idle') return 'Waiting for a free place';
  if (ahead) return `Waiting for !${ahead.merge_request.iid}`;
  return entry.pipeline ? 'Waiting for its pipeline' : 'Next to be merged';
}

/** Adds a merge request, with everything that it stands on, to the train of its stack. */
export const addStack = (id: string, iid: number, sha: string | null) =>
  unwrap(
    client.POST('/projects/{id}/merge_trains/merge_requests/{merge_request_iid}', {
      params: { path: { id, merge_request_iid: iid } },
      body: { stack: true, ...(sha ? { sha } : {}) },
    }),
  );

/**
 * Seconds until an entry is merged, from how long its own pipeline has run and how long the last pipelines took; those ahead
 * run side by side with it, so the latest of them decides. Null before any were merged.
 */
export function secondsLeft(
  ahead: readonly TrainEntry[],
  entry: TrainEntry,
  merged: readonly TrainEntry[],
  now: number,
): number | null {
  const typical = typicalSeconds(merged);
  if (typical === null) return null;
  const left = ({ pipeline, created_at }: TrainEntry) => {
    if (pipeline?.status === 'success') return 0;
    const since = (now - Date.parse(pipeline?.created_at ?? created_at)) / 1000;
    return Math.max(0, typical - Math.max(0, since));
  };
  return Math.round(Math.max(...[...ahead, entry].map(left)));
}

/** Seconds that half of the last merges took at most, from joining to the merge; null before there were any. */
export function typicalSeconds(merged: readonly TrainEntry[]): number | null {
  const durations = merged
    .flatMap(({ status, duration }) => (status === 'merged' && duration !== null ? [duration] : []))
    .sort((a, b) => a - b);
  return durations[Math.floor(durations.length / 2)] ?? null;
}
