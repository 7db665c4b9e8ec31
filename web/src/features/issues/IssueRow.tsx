/** An issue in a list that says where it belongs. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { pathOfReferenced, toSegment } from '../../lib/urls.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

interface Props {
  readonly issue: Schemas['ListedIssue'];
  /** With the path of its project. */
  readonly full: boolean;
  /** What can be done with it here. */
  readonly action?: ReactNode;
}

export function IssueRow({ issue, full, action }: Props) {
  const path = pathOfReferenced(issue);
  return (
    <DataRow
      before={<StatusBadge status={issueStatus(issue.state)} compact />}
      title={
        <Link to="/p/$path/issues/$iid" params={{ path: toSegment(path), iid: String(issue.iid) }} data-entry>
          {issue.title}
        </Link>
      }
      meta={
        <>
          <span>{full ? issue.references.full : issue.references.short}</span>
          {issue.weight === null ? null : <span>Weight {issue.weight}</span>}
          {issue.labels.map((label) => (typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />))}
          {issue.assignees.length > 0 ? (
            <span>assigned to {issue.assignees.map(({ name }) => name).join(', ')}</span>
          ) : null}
        </>
      }
      after={
        <>
          <TimeAgo at={issue.updated_at} />
          {action}
        </>
      }
    />
  );
}
