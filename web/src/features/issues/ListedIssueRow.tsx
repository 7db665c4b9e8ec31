/** An issue in the list of its project or group; with a check box while several are edited. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { pathOfReferenced, toSegment } from '../../lib/urls.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

const ChooseIssue = lazy(() => import('./ChooseIssue.tsx'));

interface Props {
  readonly issue: Schemas['ListedIssue'];
  /** Says of which project it is, where the list has those of several. */
  readonly full?: boolean;
  /** Whether it is chosen; undefined while nothing is. */
  readonly chosen?: boolean | undefined;
  choose?(chosen: boolean): void;
}

export function ListedIssueRow({ issue, full = false, chosen, choose }: Props) {
  const path = pathOfReferenced(issue);
  const { task_completion_status: tasks } = issue;
  return (
    <DataRow
      before={
        <>
          {chosen === undefined || !choose ? null : (
            <Suspense fallback={null}>
              <ChooseIssue label={`Select ${issue.references.short}: ${issue.title}`} chosen={chosen} choose={choose} />
            </Suspense>
          )}
          <StatusBadge status={issueStatus(issue.state)} compact />
        </>
      }
      title={
        <Link to="/p/$path/issues/$iid" params={{ path: toSegment(path), iid: String(issue.iid) }} data-entry>
          {issue.title}
        </Link>
      }
      meta={
        <>
          <span>
            {full ? issue.references.full : issue.references.short} by {issue.author.name}
          </span>
          {issue.confidential ? <span>Confidential</span> : null}
          {issue.milestone ? <span>{issue.milestone.title}</span> : null}
          {issue.due_date ? <span>due {issue.due_date}</span> : null}
          {tasks.count > 0 ? (
            <span>
              {tasks.completed_count} of {tasks.count} tasks
            </span>
          ) : null}
          {issue.labels.map((label) => (typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />))}
          {issue.assignees.length > 0 ? (
            <span>assigned to {issue.assignees.map(({ name }) => name).join(', ')}</span>
          ) : null}
        </>
      }
      after={<TimeAgo at={issue.updated_at} />}
    />
  );
}
