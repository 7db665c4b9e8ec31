/** One merge request in a list: of a project, or of everything below a group. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { pathOfReferenced, toSegment } from '../../lib/urls.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

interface Props {
  readonly request: Omit<Schemas['MergeRequest'], 'labels'>;
  /** Says of which project it is, where the list has those of several. */
  readonly full?: boolean;
  /** What else the list tells of it. */
  readonly children?: ReactNode;
}

export function MergeRequestRow({ request, full = false, children }: Props) {
  return (
    <DataRow
      before={<StatusBadge status={request.state} compact />}
      title={
        <Link
          to="/p/$path/merge_requests/$iid"
          params={{ path: toSegment(pathOfReferenced(request)), iid: String(request.iid) }}
          data-entry
        >
          {request.title}
        </Link>
      }
      meta={
        <>
          <span>
            {full ? request.references.full : request.reference} by {request.author.name}
          </span>
          {children}
        </>
      }
      after={<TimeAgo at={request.updated_at} />}
    />
  );
}
