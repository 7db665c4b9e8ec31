/** Entries of merge trains as the API shows them. */
import type { Static } from 'typebox';
import { Count, Entity, Fields, Id, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { PipelineBasic, type PipelineJson } from '../../ci/index.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { entryStatuses } from './decision.ts';
import type { LoadedEntry } from './merge-trains.queries.ts';

export const MergeTrainEntry = Entity('MergeTrainEntry', {
  id: Id(),
  merge_request: Fields({
    id: Id(),
    iid: Id({ description: 'Internal id of the merge request' }),
    project_id: Id({ description: 'Id of the target project' }),
    title: Text(),
    description: Nullable(Text()),
    state: Word(['opened', 'closed', 'merged', 'locked']),
    created_at: Timestamp(),
    updated_at: Timestamp(),
    web_url: Text(),
  }),
  user: UserReference,
  pipeline: Nullable(PipelineBasic),
  created_at: Timestamp({ description: 'When it was added' }),
  updated_at: Timestamp(),
  target_branch: Text(),
  status: Word(entryStatuses),
  merged_at: Nullable(Timestamp()),
  duration: Nullable(Count({ description: 'Seconds from when it was added until it was merged' })),
});

export interface EntryUrls {
  /** Without a trailing slash. */
  readonly base: string;
  /** The project's page. */
  readonly project: string;
}

export function mergeTrainEntry(
  { entry, request, user }: LoadedEntry,
  pipeline: PipelineJson | null,
  urls: EntryUrls,
): Static<typeof MergeTrainEntry> {
  return {
    id: entry.id,
    merge_request: {
      id: request.id,
      iid: request.iid,
      project_id: request.project_id,
      title: request.title,
      description: request.description,
      state: request.state,
      created_at: request.created_at,
      updated_at: request.updated_at,
      web_url: `${urls.project}/-/merge_requests/${request.iid}`,
    },
    user: userReference(user, urls.base),
    pipeline,
    created_at: entry.created_at,
    updated_at: entry.updated_at,
    target_branch: entry.target_branch,
    status: entry.status,
    merged_at: entry.merged_at,
    duration: entry.duration,
  };
}
