/** One merge request in a list, with its branches, people, pipeline and how far its review is. */
import { Avatar, Badge } from '@mantine/core';
import { counted } from '../../lib/counted.ts';
import type { ListedMergeRequest } from '../../lib/merge-requests.ts';
import { reviewerStates } from '../../lib/reviews.ts';
import { pathOfReferenced, toSegment } from '../../lib/urls.ts';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { PipelineMark } from '../pipelines/PipelineMark.tsx';
import { MergeRequestRow } from './MergeRequestRow.tsx';

interface Props {
  readonly request: ListedMergeRequest;
  /** Says of which project it is, where the list has those of several. */
  readonly full?: boolean;
  /** Where most of the list go to: only another one is told. */
  readonly usual?: string | null;
}

export function ReviewedRow({ request, full = false, usual = null }: Props) {
  const { review_status: status, author } = request;
  const states = new Map(status?.reviewers.map(({ id, state }) => [id, state]));
  return (
    <MergeRequestRow request={request} full={full}>
      <Avatar src={author.avatar_url ?? null} name={author.name} size={18} color="race" variant="filled" alt="" />
      {request.draft ? (
        <Badge size="sm" variant="default">
          Draft
        </Badge>
      ) : null}
      <PipelineMark segment={toSegment(pathOfReferenced(request))} pipeline={status?.pipeline} />
      <RefBadge name={request.source_branch} />
      {request.target_branch === usual ? null : <span>into {request.target_branch}</span>}
      {request.milestone ? <span>{request.milestone.title}</span> : null}
      {request.labels.map((label) => (typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />))}
      {request.reviewers.map(({ id, name }) => (
        <span key={id}>
          {name}: {reviewerStates[states.get(id) ?? 'unreviewed']}
        </span>
      ))}
      {status && status.approvals > 0 ? <span>{counted(status.approvals, 'approval', 'approvals')}</span> : null}
      {status && status.open_threads > 0 ? (
        <span>{counted(status.open_threads, 'open thread', 'open threads')}</span>
      ) : null}
      {request.has_conflicts && request.state === 'opened' ? <span>Conflicts</span> : null}
    </MergeRequestRow>
  );
}
