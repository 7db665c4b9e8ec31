/** One merge request in the list of its project, with its branches, people, pipeline and how far its review is. */
import { Avatar, Badge } from '@mantine/core';
import { counted } from '../../lib/counted.ts';
import type { ListedMergeRequest } from '../../lib/merge-requests.ts';
import { reviewerStates } from '../../lib/reviews.ts';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { PipelineMark } from '../pipelines/PipelineMark.tsx';
import { useProject } from '../projects/useProject.ts';
import { MergeRequestRow } from './MergeRequestRow.tsx';

export function ProjectMergeRequestRow({ request }: { request: ListedMergeRequest }) {
  const { project } = useProject();
  const { review_status: status, author } = request;
  const states = new Map(status?.reviewers.map(({ id, state }) => [id, state]));
  return (
    <MergeRequestRow request={request}>
      <Avatar src={author.avatar_url ?? null} name={author.name} size={18} color="race" variant="filled" alt="" />
      {request.draft ? (
        <Badge size="sm" variant="default">
          Draft
        </Badge>
      ) : null}
      <PipelineMark pipeline={status?.pipeline} />
      <RefBadge name={request.source_branch} />
      {request.target_branch === project.default_branch ? null : <span>into {request.target_branch}</span>}
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
