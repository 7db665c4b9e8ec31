/** Runners of projects and groups: lists, enabling and disabling. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, forbidden, invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { notifyPending } from '../scheduling/process.queries.ts';
import { RunnerEntity, runnerJson } from './runners.entity.ts';
import {
  assignProject,
  busyRunners,
  creatorsOf,
  lastManagers,
  projectsOf,
  unassignProject,
} from './runners.queries.ts';
import { listParams, runnerLister } from './runners.routes.ts';
import type { RunnerAccess } from './runners.service.ts';

const tag = 'Runners';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const runnerId = Int({ description: 'Id of the runner' });

export function placeRoutes(deps: CiDependencies, access: RunnerAccess): Route[] {
  const { db } = deps;
  const list = runnerLister(deps);
  return [
    route({
      method: 'GET',
      path: '/projects/:id/runners',
      summary: 'List runners that may run jobs of a project',
      tag,
      credentials,
      access: { on: 'project', ability: 'read_runner' },
      params: Type.Object({ id, ...listParams }),
      pagination: 'offset',
      responses: { 200: ListOf(RunnerEntity) },
      handler: async ({ subject, params, page }) =>
        list({ of: 'project', projectId: subject.project.id }, params, page),
    }),
    route({
      scopes: ['api', 'manage_runner'],
      method: 'POST',
      path: '/projects/:id/runners',
      summary: 'Enable a project runner in another project',
      tag,
      credentials,
      access: { on: 'project', ability: 'admin_runner' },
      params: Type.Object({ id, runner_id: runnerId }),
      responses: { 201: RunnerEntity },
      handler: async ({ subject, caller, params }) => {
        const runner = await access.find(params.runner_id);
        if (runner.runner_type !== 'project_type')
          throw forbidden(
            runner.runner_type === 'group_type' ? 'Runner is a group runner' : 'Runner is an instance runner',
          );
        if (runner.locked && !caller.admin) throw forbidden('Runner is locked');
        if (!(await access.manages(caller, runner))) throw forbidden('No access granted');
        const assigned = await transaction(db, async (tx) => {
          const done = await assignProject(tx, runner.id, subject.project.id);
          await notifyPending(tx);
          return done;
        });
        if (!assigned) throw invalidRecord({ runner_id: ['has already been taken'] });
        const [managers, busy, creators] = await Promise.all([
          lastManagers(db, [runner.id]),
          busyRunners(db, [runner.id]),
          creatorsOf(db, [runner]),
        ]);
        return runnerJson({
          runner,
          manager: managers.get(runner.id),
          creator: creators.get(runner.created_by_id ?? 0),
          busy: busy.has(runner.id),
          externalUrl: deps.externalUrl,
        });
      },
    }),
    route({
      scopes: ['api', 'manage_runner'],
      method: 'DELETE',
      path: '/projects/:id/runners/:runner_id',
      summary: 'Disable a project runner in a project',
      tag,
      credentials,
      access: { on: 'project', ability: 'admin_runner' },
      params: Type.Object({ id, runner_id: runnerId }),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, params, unmodifiedSince }) => {
        const projects = await projectsOf(db, params.runner_id);
        const assignment = projects.find(({ project }) => project.id === subject.project.id);
        if (!assignment) throw notFound('Runner');
        if (projects.length === 1)
          throw forbidden('Only one project associated with the runner. Please remove the runner instead');
        // The first one owns the runner.
        if (projects[0]?.project.id === subject.project.id)
          throw badRequest('You cannot unassign a runner from the owner project. Delete the runner instead');
        unmodifiedSince(assignment.assignedAt);
        await transaction(db, async (tx) => unassignProject(tx, params.runner_id, subject.project.id));
      },
    }),
    route({
      method: 'GET',
      path: '/groups/:id/runners',
      summary: 'List runners that may run jobs of a group',
      tag,
      credentials,
      access: { on: 'group', ability: 'read_group_runner' },
      params: Type.Object({ ...listParams, id: IdOrPath('Id or path of the group') }),
      pagination: 'offset',
      responses: { 200: ListOf(RunnerEntity) },
      handler: async ({ subject, params, page }) =>
        list({ of: 'group', traversalIds: subject.group.traversal_ids }, params, page),
    }),
  ];
}
