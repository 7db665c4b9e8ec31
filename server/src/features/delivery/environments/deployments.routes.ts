/** The API of deployments. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Deployment as DeploymentRow } from '../../../kernel/db/rows.ts';
import { Count, Entity, ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPresent, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, DateTimeParam, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { exclusiveFilters, ListedMergeRequests, mergeRequestFilters, type Review } from '../../review/index.ts';
import {
  ApprovalSummary,
  type Approving,
  approvalDetails,
  approvalStatuses,
  approvalsJson,
  DeploymentApproval,
} from './approvals.ts';
import {
  type DeploymentFilter,
  deploymentOrders,
  deploymentStatuses,
  findDeployment,
  listDeployments,
} from './deployments.queries.ts';
import { type DeploymentService, reportedStatuses } from './deployments.service.ts';
import { Deployment, type DeploymentPresenter } from './environments.entity.ts';

export interface DeploymentRoutesDependencies {
  readonly db: Db;
  readonly deployments: DeploymentService;
  readonly presenter: DeploymentPresenter;
  readonly approve: Approving;
  readonly externalUrl: string;
  readonly mergeRequests: Review['deployed'];
}

const common = { tag: 'Deployments', credentials: ['token', 'session', 'job'] } as const;
const id = IdOrPath('Id or path of the project');
const one = Type.Object({ id, deployment_id: Int({ description: 'Id of the deployment' }) });
const path = '/projects/:id/deployments/:deployment_id';
const read = { on: 'project', ability: 'read_deployment' } as const;

const DeploymentDetail = Entity('DeploymentDetail', {
  ...Deployment.properties,
  pending_approval_count: Count({ description: 'Approvals that it waits for' }),
  approvals: ListOf(DeploymentApproval),
  approval_summary: ApprovalSummary,
});

/** Statuses with an end. */
const ended: ReadonlySet<DeploymentFilter['status']> = new Set(['success', 'failed', 'canceled']);

/** A range of times is only served in its own order, and ends are only those of what succeeded. */
function checkRanges(filter: DeploymentFilter, by: string): void {
  const updated = filter.updatedAfter || filter.updatedBefore;
  const finished = filter.finishedAfter || filter.finishedBefore;
  if (updated && finished) throw badRequest('Both `updated_at` filter and `finished_at` filter can not be specified');
  if (updated && by !== 'updated_at') throw badRequest('`updated_at` filter requires `updated_at` sort');
  if (finished && by !== 'finished_at') throw badRequest('`finished_at` filter requires `finished_at` sort.');
  if (by === 'finished_at' && !finished && !ended.has(filter.status))
    throw badRequest(
      '`finished_at` sort requires `finished_at` filter or a filter with at least one of the finished statuses.',
    );
  if (finished && filter.status !== 'success')
    throw badRequest('`finished_at` filter must be combined with `success` status filter.');
}

export function deploymentRoutes(deps: DeploymentRoutesDependencies): Route[] {
  const { db, deployments, presenter } = deps;

  async function find({ project }: ProjectSubject, number: number): Promise<DeploymentRow> {
    const found = await findDeployment(db, project.id, number);
    if (!found) throw recordNotFound();
    return found;
  }

  /** With its approvals. */
  async function detailed(subject: ProjectSubject, row: DeploymentRow) {
    const json = await presenter.one(subject, row);
    if (!json) throw recordNotFound();
    return { ...json, ...(await approvalDetails(db, row, deps.externalUrl)) };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/deployments',
      summary: 'List deployments of a project',
      access: read,
      pagination: 'offset',
      params: Type.Object({
        id,
        order_by: Optional(OneOf(deploymentOrders, { default: 'id', description: 'What the list is ordered by' })),
        sort: Optional(OneOf(['asc', 'desc'], { default: 'asc', description: 'Direction of the order' })),
        updated_after: Optional(DateTimeParam({ description: 'Only those updated after; ordered by `updated_at`' })),
        updated_before: Optional(DateTimeParam({ description: 'Only those updated before; ordered by `updated_at`' })),
        finished_after: Optional(
          DateTimeParam({ description: 'Only those that ended after; ordered by `finished_at`' }),
        ),
        finished_before: Optional(
          DateTimeParam({ description: 'Only those that ended before; ordered by `finished_at`' }),
        ),
        environment: Optional(Str({ maxLength: 255, description: 'Only those of the environment of this name' })),
        status: Optional(OneOf(deploymentStatuses, { description: 'Only those in this status' })),
      }),
      responses: { 200: ListOf(Deployment) },
      handler: async ({ subject, params, page }) => {
        const by = params.order_by ?? 'id';
        const filter = {
          environment: params.environment,
          status: params.status,
          updatedAfter: params.updated_after,
          updatedBefore: params.updated_before,
          finishedAfter: params.finished_after,
          finishedBefore: params.finished_before,
        };
        checkRanges(filter, by);
        const order = { by, direction: params.sort ?? 'asc' };
        const { rows, total } = await listDeployments(db, subject.project.id, filter, order, page);
        const json = await presenter.many(subject, rows);
        return mapPresent(offsetPage(page, rows, total), (row) => json.get(row.id));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a deployment',
      access: read,
      params: one,
      responses: { 200: DeploymentDetail },
      handler: async ({ subject, params }) => await detailed(subject, await find(subject, params.deployment_id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/deployments',
      summary: 'Create a deployment that another system made',
      access: { on: 'project', ability: 'create_deployment' },
      params: Type.Object({
        id,
        environment: Str({
          minLength: 1,
          description: 'Name of the environment, which is created where there is none',
        }),
        sha: Str({ minLength: 1, maxLength: 255, description: 'Hash of the commit' }),
        ref: Str({ minLength: 1, maxLength: 1024, description: 'Name of the branch or tag' }),
        tag: Bool({ description: 'Whether `ref` is a tag' }),
        status: OneOf(reportedStatuses, { description: 'How it goes' }),
      }),
      responses: { 201: DeploymentDetail },
      handler: async ({ subject, caller, params: { id: _, ...given } }) =>
        await detailed(subject, await deployments.create(subject, caller, given)),
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update the status of a deployment that another system made',
      access: { on: 'project', ability: 'update_deployment' },
      params: Type.Object({ ...one.properties, status: OneOf(reportedStatuses, { description: 'How it goes' }) }),
      responses: { 200: DeploymentDetail },
      handler: async ({ subject, caller, params }) => {
        const row = await deployments.update(subject, caller, params.deployment_id, params.status);
        return await detailed(subject, row);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/approval`,
      summary: 'Approve or reject a deployment to a protected environment',
      credentials: ['token', 'session'],
      access: read,
      params: Type.Object({
        ...one.properties,
        status: OneOf(approvalStatuses, { description: 'Whether it may be deployed' }),
        comment: Optional(Str({ maxLength: 255, description: 'Why' })),
        represented_as: Optional(
          Str({ maxLength: 255, description: 'User, group or role whose rule it counts for, as that rule is named' }),
        ),
      }),
      responses: { 201: DeploymentApproval },
      handler: async ({ subject, caller, params: { deployment_id, status, comment, represented_as } }) => {
        const row = await find(subject, deployment_id);
        const approval = await deps.approve(subject, caller, row, {
          status,
          comment: comment ?? null,
          represented_as: represented_as || null,
        });
        const [json] = await approvalsJson(db, [approval], deps.externalUrl);
        if (!json) throw notFound();
        return json;
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a deployment that is neither running nor the last one',
      access: { on: 'project', ability: 'destroy_deployment' },
      params: one,
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, params, unmodifiedSince }) => {
        const row = await find(subject, params.deployment_id);
        unmodifiedSince(row.updated_at);
        await deployments.remove(row);
        return answer(204, undefined);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/merge_requests`,
      summary: 'List merge requests that were deployed by a deployment',
      access: read,
      pagination: 'offset',
      params: Type.Object({ ...one.properties, ...mergeRequestFilters }, exclusiveFilters),
      responses: { 200: ListedMergeRequests },
      handler: async ({ subject, caller, params, page }) => {
        requireOnProject(caller, 'read_merge_request', subject);
        return await deps.mergeRequests(await find(subject, params.deployment_id), params, page, caller);
      },
    }),
  ];
}
