/** One deployment of an environment: what, by whom, how it went, and what can be done with it. */
import { Link } from '@tanstack/react-router';
import { counted } from '../../lib/counted.ts';
import { redeploy } from '../../lib/environment-actions.ts';
import type { ListedDeployment } from '../../lib/environments.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import { DeploymentReview } from './DeploymentReview.tsx';
import classes from './environments.module.css';

type Review = NonNullable<ListedDeployment['review']>;

const approvals = (count: number) => counted(count, 'approval', 'approvals');

/** What it waits for: of each rule of approval, or of anybody who may deploy. */
function pendingOf({ pending_approval_count: pending, approval_summary: { rules } }: Review): string[] {
  const missing = rules.flatMap((rule) => {
    const given = rule.deployment_approvals.filter(({ status }) => status === 'approved').length;
    const lacks = rule.required_approvals - given;
    return lacks > 0 ? `Needs ${approvals(lacks)} from ${rule.access_level_description}` : [];
  });
  return missing.length > 0 ? missing : [`Needs ${approvals(pending)}`];
}

interface Props {
  readonly deployment: ListedDeployment;
  /** It is what runs in the environment now. */
  readonly current: boolean;
  readonly deploys: boolean;
  shown(): Promise<unknown>;
}

export function DeploymentRow({ deployment, current, deploys, shown }: Props) {
  const { path, segment } = useProject();
  const { deployable: job, review } = deployment;
  const again = current ? 'Redeploy' : 'Roll back';
  return (
    <DataRow
      before={<StatusBadge status={deployment.status === 'blocked' ? 'manual' : deployment.status} compact />}
      title={
        <>
          #{deployment.iid}{' '}
          <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: deployment.sha }} data-entry>
            <code>{deployment.sha.slice(0, 8)}</code>
          </Link>{' '}
          from {deployment.ref}
          {current ? <span className={classes.current}> Current</span> : null}
        </>
      }
      meta={
        <>
          {job ? (
            <span>
              by{' '}
              <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(job.id) }}>
                {job.name}
              </Link>
            </span>
          ) : (
            <span>API</span>
          )}
          {deployment.user ? <span>{deployment.user.name}</span> : null}
          {review ? pendingOf(review).map((text) => <span key={text}>{text}</span>) : null}
          {review?.approvals.map(({ user, status, comment }) => (
            <span key={user.id}>
              {status === 'approved' ? 'Approved' : 'Rejected'} by {user.name}
              {comment ? `: ${comment}` : null}
            </span>
          ))}
        </>
      }
      after={
        <>
          <TimeAgo at={deployment.updated_at} />
          {deploys && review ? (
            <DeploymentReview deployment={deployment} rules={review.approval_summary.rules} shown={shown} />
          ) : null}
          {deploys && job && deployment.status === 'success' ? (
            <ConfirmButton
              title={current ? 'Redeploy' : 'Roll back environment'}
              about={`${again} #${deployment.iid}`}
              text={`Runs the job ${job.name} again for commit ${deployment.sha.slice(0, 8)}.`}
              action={again}
              run={() => redeploy(path, job.id)}
              shown={shown}
            />
          ) : null}
        </>
      }
    />
  );
}
