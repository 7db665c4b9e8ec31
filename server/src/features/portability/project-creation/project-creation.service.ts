/** What new projects start with: nothing, a README, a template, a copy of a project kept as one, or a repository elsewhere. */
import Type from 'typebox';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CreateProject, ProjectService, StartParameters, UpdateMirrored } from '../../namespaces/index.ts';
import type { ForkService } from '../forks/forks.service.ts';
import type { PortabilityDependencies } from '../index.ts';
import type { UrlImports } from '../project-archives/url-imports.ts';
import type { MirroredProjects } from '../pull-mirrors/mirrored-projects.ts';
import { customTemplate } from './custom-templates.queries.ts';
import { projectTemplates } from './project-templates.data.ts';

export function projectCreation(
  deps: PortabilityDependencies,
  projects: ProjectService,
  forks: Pick<ForkService, 'copyOf'>,
  imports: Pick<UrlImports, 'start'>,
  mirrors: MirroredProjects,
  parents: ParentLoader,
) {
  const unknown = (field: string, value: string | number) =>
    invalidRecord({ [field]: [`'${value}' is unknown or invalid`] });

  /** The group that templates are taken from: what a group that the caller sees says, or the instance. */
  async function groupOfTemplates(caller: Caller, groupId: number | undefined): Promise<number | null> {
    if (groupId === undefined) return (await deps.settings.read()).custom_project_templates_group_id;
    const subject = await parents.group(String(groupId), caller);
    return subject && canOnGroup(caller, 'read_group', subject)
      ? subject.group.custom_project_templates_group_id
      : null;
  }

  async function kept(caller: Caller, params: StartParameters): Promise<ProjectSubject> {
    const { template_project_id: id, template_name: name, group_with_project_templates_id: groupId } = params;
    const refused = id !== undefined ? unknown('template_project_id', id) : unknown('template_name', name ?? '');
    const from = await groupOfTemplates(caller, groupId);
    if (from === null || (id === undefined && !name)) throw refused;
    const wanted = id === undefined ? { path: name ?? '' } : { id };
    const found = await customTemplate(deps.db, { from, below: groupId ?? null, wanted });
    const subject = found === null ? null : await parents.project(String(found), caller);
    if (!subject || !canOnProject(caller, 'read_code', subject)) throw refused;
    return subject;
  }

  return {
    async create(caller: Caller, params: CreateProject & StartParameters): Promise<ProjectSubject> {
      const { template_name: name, template_project_id: _, use_custom_template: custom, ...rest } = params;
      const { group_with_project_templates_id: __, import_url: address, ...plain } = rest;
      const follow = await mirrors.ofNew(caller, params);
      if (address) return await imports.start(caller, plain, address, follow);
      if (custom) return await forks.copyOf(await kept(caller, params), caller, plain);
      if (!name) return await projects.create(caller, plain);
      const template = projectTemplates.find((each) => each.name === name);
      if (!template) throw unknown('template_name', name);
      return await projects.create(caller, { ...plain, files: template.files });
    },

    update: (subject: ProjectSubject, caller: Caller, params: UpdateMirrored) =>
      mirrors.update(projects, subject, caller, params),
  };
}
const ProjectTemplate = Entity('ProjectTemplate', { key: Text(), name: Text(), title: Text(), description: Text() });

export function projectTemplateRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/templates/projects',
      summary: 'List project templates',
      tag: 'Templates',
      credentials: ['token', 'session'],
      access: { on: 'public' },
      pagination: 'offset',
      params: Type.Object({}),
      responses: { 200: ListOf(ProjectTemplate) },
      handler: async ({ page }) =>
        slicePage(
          page,
          projectTemplates.map(({ name, title, description }) => ({ key: name, name, title, description })),
        ),
    }),
  ];
}
