/** Approving deployments to protected environments. */
import type { Static } from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { DeploymentApproval as ApprovalRow, Deployment } from '../../../kernel/db/rows.ts';
import { Count, Entity, Fields, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { plainError, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { JobsFace } from '../../ci/index.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import { approvalState, mayApprove, type ProtectedPlace } from '../protected-environments/index.ts';
import { approvalsOf, setApproval } from './approvals.queries.ts';
import { jobsById, lockDeployment, updateDeployment } from './deployments.queries.ts';
import { environmentsById } from './environments.queries.ts';
import { deploymentMoved } from './records.ts';

export const approvalStatuses = ['approved', 'rejected'] as const;

export const DeploymentApproval = Entity('DeploymentApproval', {
  user: UserReference,
  status: Word(approvalStatuses),
  created_at: Timestamp(),
  comment: Nullable(Text()),
});
/** Which rules of approval there are for it, and what was said by those whom each names. */
export const ApprovalSummary = Fields({
  rules: ListOf(
    Fields({
      user_id: Nullable(Id()),
      group_id: Nullable(Id()),
      access_level: Nullable(Count({ description: 'The lowest role' })),
      access_level_description: Text(),
      required_approvals: Count({ description: 'How many of them have to approve' }),
      deployment_approvals: ListOf(DeploymentApproval),
    }),
  ),
});
export type ApprovalJson = Static<typeof DeploymentApproval>;

export async function approvalsJson(
  db: Db,
  rows: readonly ApprovalRow[],
  externalUrl: string,
): Promise<ApprovalJson[]> {
  const users = await findReferences(
    db,
    rows.map(({ user_id }) => user_id),
  );
  return rows.flatMap(({ user_id, status, created_at, comment }) => {
    const user = users.get(user_id);
    return user ? [{ user: userReference(user, externalUrl), status, created_at, comment }] : [];
  });
}

/** The environment of a deployment as protections name it. */
export async function placeOf(db: Db, deployment: Deployment): Promise<ProtectedPlace> {
  const environment = (await environmentsById(db, [deployment.environment_id])).get(deployment.environment_id);
  if (!environment) throw recordNotFound();
  return { project_id: deployment.project_id, name: environment.name, tier: environment.tier };
}

const stateOf = async (db: Db, deployment: Deployment) =>
  await approvalState(db, await placeOf(db, deployment), await approvalsOf(db, deployment.id));

/** How many approvals a deployment lacks. */
export const pendingApprovals = async (db: Db, deployment: Deployment): Promise<number> =>
  (await stateOf(db, deployment)).missing;

/** All that is shown of the approvals of a deployment. */
export async function approvalDetails(db: Db, deployment: Deployment, externalUrl: string) {
  const rows = await approvalsOf(db, deployment.id);
  const { missing, rules } = await approvalState(db, await placeOf(db, deployment), rows);
  const shown = new Map((await approvalsJson(db, rows, externalUrl)).map((json) => [json.user.id, json]));
  // Each person has said something once.
  const json = (some: readonly ApprovalRow[]) => some.flatMap(({ user_id }) => shown.get(user_id) ?? []);
  return {
    pending_approval_count: deployment.status === 'blocked' ? missing : 0,
    approvals: json(rows),
    approval_summary: {
      rules: rules.map(({ rule, title, approvals }) => ({
        user_id: rule.user_id,
        group_id: rule.group_id,
        access_level: rule.access_level,
        access_level_description: title,
        required_approvals: rule.required_approvals,
        deployment_approvals: json(approvals),
      })),
    },
  };
}

export interface ApprovalDependencies {
  readonly db: Db;
  readonly jobs: Pick<JobsFace, 'release' | 'fail'>;
}

export interface GivenApproval {
  readonly status: (typeof approvalStatuses)[number];
  readonly comment: string | null;
  /** The user, group or role of the rule that they stand for. */
  readonly represented_as: string | null;
}

export type Approving = ReturnType<typeof approving>;

export function approving({ db, jobs }: ApprovalDependencies) {
  return async (
    { project }: ProjectSubject,
    caller: Caller,
    row: Deployment,
    given: GivenApproval,
  ): Promise<ApprovalRow> => {
    const { user } = caller;
    if (!user) throw unauthorized();
    const may = await mayApprove(db, await placeOf(db, row), user.id, given.represented_as);
    if (!may)
      throw plainError(
        400,
        "You don't have permission to review this deployment. Contact the project or group owner for help.",
      );
    if (may === 'unknown')
      throw plainError(
        400,
        'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.',
      );
    const own = row.user_id === user.id && given.status === 'approved';
    if (own && !project.allow_pipeline_trigger_approve_deployment)
      throw plainError(400, 'You cannot approve your own deployment.');
    const { approval, next } = await transaction(db, async (tx) => {
      const locked = await lockDeployment(tx, row.id);
      if (locked?.status !== 'blocked') throw plainError(400, 'This deployment is not waiting for approvals.');
      const approval = await setApproval(tx, { deployment_id: row.id, user_id: user.id, ...given });
      // Of a rejected one the job says how it ends.
      if (given.status === 'rejected') return { approval, next: 'fail' as const };
      const { missing, rules } = await stateOf(tx, locked);
      if (missing > 0) return { approval, next: null };
      const moved = await updateDeployment(tx, row.id, { status: 'created' });
      if (moved) await deploymentMoved(tx, moved, user.id);
      // Where rules name who approves, somebody starts the job when the time has come.
      return { approval, next: rules.length > 0 ? null : ('release' as const) };
    });
    const job = row.job_id === null ? undefined : (await jobsById(db, [row.job_id])).get(row.job_id);
    if (job && next === 'fail') await jobs.fail(job, 'deployment_rejected');
    // A manual job waits for whoever starts it.
    else if (job && next === 'release' && job.when !== 'manual') await jobs.release(job);
    return approval;
  };
}
