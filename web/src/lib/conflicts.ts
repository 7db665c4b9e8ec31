/** Conflicts of a merge request, and resolving them. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './api.ts';

export interface Resolution {
  readonly path: string;
  readonly content?: string;
  readonly side?: 'source' | 'target';
  readonly delete?: boolean;
}

const of = (id: string, iid: number) => ({ path: { id, merge_request_iid: iid } });

export const conflictsOf = (id: string, iid: number) =>
  queryOptions({
    queryKey: ['project', id, 'merge-request', iid, 'conflicts'],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/merge_requests/{merge_request_iid}/conflicts', { params: of(id, iid) })),
    retry: false,
  });

export const resolveConflicts = (
  id: string,
  iid: number,
  body: { source_sha: string; target_sha: string; commit_message: string; files: Resolution[] },
) =>
  unwrap(
    client.POST('/projects/{id}/merge_requests/{merge_request_iid}/resolve_conflicts', { params: of(id, iid), body }),
  );
