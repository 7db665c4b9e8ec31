/** Deployments that other systems report, changes of these, and the merge requests that deployments bring. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Deployment } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { defineTask } from '../../../kernel/queue/index.ts';
import { nextIid } from '../../namespaces/index.ts';
import type { RepositoryReader } from '../../repository/index.ts';
import { nameProblem } from '../environment-names.ts';
import { mayDeploy, type ProtectedPlace } from '../protected-environments/index.ts';
import { placeOf } from './approvals.ts';
import * as queries from './deployments.queries.ts';
import { updateEnvironment } from './environments.queries.ts';
import { deploymentMoved, ensureEnvironment, linkTask } from './records.ts';
import { forgetRefs, keepDeployment, type RefDependencies, refsOfDeployment, refTask } from './refs.ts';

/** Statuses that other systems report. */
export const reportedStatuses = ['running', 'success', 'failed', 'canceled'] as const;
type ReportedStatus = (typeof reportedStatuses)[number];

export interface NewDeployment {
  readonly environment: string;
  readonly sha: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly status: ReportedStatus;
}

/** Merge requests that one deployment is checked for. */
const mostCandidates = 1000;

export interface DeploymentServiceDependencies extends RefDependencies {
  readonly reader: Pick<RepositoryReader, 'ancestorsAmong' | 'resolve'>;
}

const commitId = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** What leads to each status, as the ecosystem calls it. */
const transitions = { running: 'run', success: 'succeed', failed: 'drop', canceled: 'cancel' } as const;

const finished = (status: ReportedStatus) => (status === 'running' ? {} : { finished_at: new Date() });

/** Whether merge requests know of deployments to it: not for places of single branches. */
const isTracked = ({ name, tier }: ProtectedPlace): boolean =>
  !name.includes('/') || tier === 'production' || tier === 'staging';

export type DeploymentService = ReturnType<typeof deploymentService>;

export function deploymentService(deps: DeploymentServiceDependencies) {
  const { db, reader } = deps;

  /** What was deployed runs there now. */
  async function settle(tx: Db, row: Deployment, caller: Caller): Promise<void> {
    await deploymentMoved(tx, row, caller.user?.id ?? null);
    if (row.status === 'success')
      await updateEnvironment(tx, row.environment_id, { state: 'available', auto_delete_at: null });
  }

  /** Keeps the commit by a ref, and finds the merge requests whose result is in this deployment and was not in the one before. */
  async function link(id: number): Promise<void> {
    const row = await queries.deploymentById(db, id);
    const project = row && (await deps.project(row.project_id));
    if (!row || !project || (await reader.resolve(project, row.sha)) === null) return;
    if (row.status === 'success') await keepDeployment(deps, row);
    if (!isTracked(await placeOf(db, row))) return;
    const candidates = await queries.mergedCandidates(db, row, mostCandidates);
    if (candidates.length === 0) return;
    const before = await queries.deploymentBefore(db, row);
    const shas = candidates.map(({ sha }) => sha);
    const known = before && (await reader.resolve(project, before.sha)) !== null;
    const [now, then] = await Promise.all([
      reader.ancestorsAmong(project, shas, row.sha),
      known ? reader.ancestorsAmong(project, shas, before.sha) : new Set<string>(),
    ]);
    const brought = candidates.filter(({ sha }) => now.has(sha) && !then.has(sha));
    await transaction(db, async (tx) => {
      if (await queries.lockDeployment(tx, id))
        await queries.linkMergeRequests(
          tx,
          id,
          brought.map((each) => each.id),
        );
    });
  }

  const task = defineTask(
    linkTask.name,
    Type.Object({ deployment_id: Type.Integer() }),
    async ({ deployment_id }) => link(deployment_id),
    { maxAttempts: linkTask.maxAttempts },
  );

  return {
    async create(subject: ProjectSubject, caller: Caller, given: NewDeployment): Promise<Deployment> {
      if ((await reader.resolve(subject.project, given.ref)) === null)
        throw invalidRecord({ ref: ['The branch or tag does not exist'] });
      const problem = nameProblem(given.environment);
      if (problem) throw invalidRecord({ name: [problem] });
      const commit = commitId.test(given.sha) ? await reader.resolve(subject.project, given.sha) : null;
      return await transaction(db, async (tx) => {
        const environment = await ensureEnvironment(tx, subject.project.id, given.environment, null);
        if (!environment) throw invalidRecord({ name: ['is invalid'] });
        if (!(await mayDeploy(tx, environment, caller.user?.id ?? null))) throw forbidden();
        if (commit === null) throw invalidRecord({ sha: ['The commit does not exist'] });
        const { sha, ref, tag, status } = given;
        const row = await queries.insertDeployment(tx, {
          iid: await nextIid(tx, subject.project.id, 'deployment'),
          project_id: subject.project.id,
          environment_id: environment.id,
          user_id: caller.user?.id ?? null,
          ...{ sha, ref, tag, status },
          ...finished(status),
        });
        await settle(tx, row, caller);
        return row;
      });
    },

    async update(subject: ProjectSubject, caller: Caller, id: number, status: ReportedStatus): Promise<Deployment> {
      return await transaction(db, async (tx) => {
        const row = await queries.lockDeployment(tx, id);
        if (row?.project_id !== subject.project.id) throw recordNotFound();
        // Its job says how it goes.
        if (row.job_id !== null) throw forbidden('Deployments created using CI/CD can not be updated using the API');
        if (!(await mayDeploy(tx, await placeOf(tx, row), caller.user?.id ?? null))) throw forbidden();
        if (row.status === status || (status === 'running' && row.status !== 'created'))
          throw invalidRecord({ status: [`cannot transition via "${transitions[status]}"`] });
        const changed = await queries.updateDeployment(tx, id, { status, finished_at: null, ...finished(status) });
        if (!changed) throw recordNotFound();
        await settle(tx, changed, caller);
        return changed;
      });
    },

    async remove(row: Deployment): Promise<void> {
      await transaction(db, async (tx) => {
        const locked = await queries.lockDeployment(tx, row.id);
        if (!locked) throw recordNotFound();
        if (locked.status === 'running') throw plainError(400, 'Cannot destroy running deployment');
        const last = await queries.lastDeployment(tx, row.environment_id);
        if (last?.id === row.id) throw plainError(400, 'Deployment currently deployed to environment');
        const refs = await refsOfDeployment(tx, row.id);
        await queries.deleteDeployment(tx, row.id);
        await forgetRefs(tx, refs);
      });
    },

    tasks: [task, refTask(deps)],
  };
}
