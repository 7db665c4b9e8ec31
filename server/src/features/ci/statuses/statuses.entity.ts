/** Statuses of commits as the API shows them. */
import type { Static } from 'typebox';
import type { User } from '../../../kernel/db/rows.ts';
import { Decimal, Entity, Flag, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import type { StatusRow } from './statuses.queries.ts';

export const CommitStatus = Entity('CommitStatus', {
  id: Id(),
  sha: Text(),
  ref: Text(),
  status: Text(),
  name: Text(),
  target_url: Nullable(Text({ description: 'Where the work behind it is seen' })),
  description: Nullable(Text()),
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
  finished_at: Nullable(Timestamp()),
  allow_failure: Flag(),
  coverage: Nullable(Decimal({ description: 'Percentage' })),
  pipeline_id: Id({ description: 'Id of the pipeline that it counts in' }),
  author: Nullable(UserReference),
});

export function commitStatusJson(
  row: StatusRow,
  author: User | undefined,
  place: { readonly projectUrl: string; readonly externalUrl: string },
): Static<typeof CommitStatus> {
  return {
    id: row.id,
    sha: row.sha,
    ref: row.ref,
    status: row.status,
    name: row.name,
    target_url: row.job ? `${place.projectUrl}/-/jobs/${row.id}` : row.target_url,
    description: row.description,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    allow_failure: row.allow_failure,
    coverage: row.coverage === null ? null : Number(row.coverage),
    pipeline_id: row.pipeline_id,
    author: author ? userReference(author, place.externalUrl) : null,
  };
}
