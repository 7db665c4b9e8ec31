/** Routes of what job tokens may reach: the switch of a project, and the projects and groups whose jobs it lets in. */
import Type from 'typebox';
import { type AuditOrigin, originOf, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { badRequest, notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { PresentProjects } from '../projects/presenter.ts';
import { Project } from '../projects/projects.entity.ts';
import { AllowedGroup, AllowedGroupItem, AllowedProject, JobTokenScope } from './job-token-scope.entity.ts';
import {
  allowedGroups,
  allowedProjects,
  allowGroup,
  allowProject,
  countAllowed,
  limitInbound,
  removeGroup,
  removeProject,
} from './job-token-scope.queries.ts';

const base = '/projects/:id/job_token_scope';
const common = {
  credentials: ['token', 'session'],
  tag: 'Job token scope',
  access: { on: 'project', ability: 'admin_job_token_scope' },
} as const;
const id = IdOrPath('Id or path of the project');

interface Parts {
  readonly deps: NamespacesDependencies;
  readonly parents: ParentLoader;
  readonly present: PresentProjects;
}

export function jobTokenScopeRoutes({ deps, parents, present }: Parts): Route[] {
  const { db, externalUrl } = deps;
  const isEnforced = async () => (await deps.settings.read()).enforce_ci_inbound_job_token_scope_enabled;

  const change = (
    subject: ProjectSubject,
    origin: AuditOrigin,
    event: string,
    details: Readonly<Record<string, unknown>>,
    work: (tx: Db) => Promise<boolean>,
  ): Promise<boolean> =>
    transaction(db, async (tx) => {
      if (!(await work(tx))) return false;
      await recordAudit(tx, {
        ...origin,
        entity: {
          type: 'Project',
          id: subject.project.id,
          path: `${subject.namespace.full_path}/${subject.project.path}`,
        },
        event,
        details,
      });
      return true;
    });

  const single = [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'Get the job token access settings of a project',
      params: Type.Object({ id }),
      responses: { 200: JobTokenScope },
      handler: async ({ subject: { project } }) => ({
        inbound_enabled: project.ci_inbound_job_token_scope_enabled || (await isEnforced()),
        outbound_enabled: project.ci_job_token_scope_enabled,
      }),
    }),
    route({
      ...common,
      method: 'PATCH',
      path: base,
      summary: 'Enable or disable the job token allowlist of a project',
      params: Type.Object({ id, enabled: Bool({ description: 'Whether the allowlists count' }) }),
      responses: { 204: Empty },
      handler: async (context) => {
        const { params, subject } = context;
        if (!params.enabled && (await isEnforced()))
          throw badRequest('The instance enforces the allowlist in all projects');
        const from = subject.project.ci_inbound_job_token_scope_enabled;
        if (from === params.enabled) return;
        const details = { change: 'inbound_enabled', from, to: params.enabled };
        await change(subject, originOf(context), 'job_token_scope_changed', details, async (tx) => {
          await limitInbound(tx, subject.project.id, params.enabled);
          return true;
        });
      },
    }),
  ];

  const projects = [
    route({
      ...common,
      method: 'GET',
      path: `${base}/allowlist`,
      summary: 'List projects in the job token allowlist of a project',
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(Project) },
      handler: async ({ subject, caller, page }) => {
        const ids = await allowedProjects(db, subject.project.id, page);
        const total = await countAllowed(db, 'job_token_scope_projects', subject.project.id);
        const paged = offsetPage(page, ids, total);
        const found = await parents.projects(paged.items, caller);
        const subjects = paged.items.flatMap((each) => found.get(each) ?? []);
        return withItems(paged, await present(subjects, caller, { simple: true }));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}/allowlist`,
      summary: 'Add a project to the job token allowlist of a project',
      params: Type.Object({
        id,
        target_project_id: Int({ description: 'Project that the changes go to; this one by default' }),
      }),
      responses: { 201: AllowedProject },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const target = await parents.project(String(params.target_project_id), caller);
        if (!target || !canOnProject(caller, 'read_project', target)) throw notFound('target_project_id');
        const names = { source_project_id: subject.project.id, target_project_id: target.project.id };
        if (target.project.id === subject.project.id) throw badRequest('Target project is the project itself');
        const added = await change(subject, originOf(context), 'job_token_scope_project_added', names, (tx) =>
          allowProject(tx, subject.project.id, target.project.id, caller.user?.id ?? null),
        );
        if (!added) throw badRequest('This project is already in the job token allowlist.');
        return names;
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/allowlist/:target_project_id`,
      summary: 'Remove a project from the job token allowlist of a project',
      params: Type.Object({
        id,
        target_project_id: Int({ description: 'Project that the changes go to; this one by default' }),
      }),
      responses: { 204: Empty },
      conditional: 'An entry of the allowlist is there or not: it never changes.',
      handler: async (context) => {
        const { subject, params } = context;
        const details = { target_project_id: params.target_project_id };
        const removed = await change(subject, originOf(context), 'job_token_scope_project_removed', details, (tx) =>
          removeProject(tx, subject.project.id, params.target_project_id),
        );
        if (!removed) throw notFound('target_project_id');
      },
    }),
  ];

  const groups = [
    route({
      ...common,
      method: 'GET',
      path: `${base}/groups_allowlist`,
      summary: 'List groups in the job token allowlist of a project',
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(AllowedGroupItem) },
      handler: async ({ subject, page }) => {
        const rows = await allowedGroups(db, subject.project.id, page);
        const total = await countAllowed(db, 'job_token_scope_groups', subject.project.id);
        return mapPage(offsetPage(page, rows, total), (group) => ({
          id: group.id,
          web_url: `${externalUrl}/groups/${group.full_path}`,
          name: group.name,
        }));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}/groups_allowlist`,
      summary: 'Add a group to the job token allowlist of a project',
      params: Type.Object({ id, target_group_id: Int({ description: 'Id of the group' }) }),
      responses: { 201: AllowedGroup },
      handler: async (context) => {
        const { subject, caller, params } = context;
        const target = await parents.group(String(params.target_group_id), caller);
        if (!target || !canOnGroup(caller, 'read_group', target)) throw notFound('target_group_id');
        const names = { source_project_id: subject.project.id, target_group_id: target.group.id };
        const added = await change(subject, originOf(context), 'job_token_scope_group_added', names, (tx) =>
          allowGroup(tx, subject.project.id, target.group.id, caller.user?.id ?? null),
        );
        if (!added) throw badRequest('This group is already in the job token allowlist.');
        return names;
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/groups_allowlist/:target_group_id`,
      summary: 'Remove a group from the job token allowlist of a project',
      params: Type.Object({ id, target_group_id: Int({ description: 'Id of the group' }) }),
      responses: { 204: Empty },
      conditional: 'An entry of the allowlist is there or not: it never changes.',
      handler: async (context) => {
        const { subject, params } = context;
        const details = { target_group_id: params.target_group_id };
        const removed = await change(subject, originOf(context), 'job_token_scope_group_removed', details, (tx) =>
          removeGroup(tx, subject.project.id, params.target_group_id),
        );
        if (!removed) throw notFound('target_group_id');
      },
    }),
  ];

  return [...single, ...projects, ...groups];
}
