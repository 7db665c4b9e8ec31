/** What new projects start with: nothing, a README, a template, a copy of a project kept as one, or a repository elsewhere. */
import type { Static } from 'typebox';
import Type from 'typebox';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { ForkService } from '../forks/forks.service.ts';
import type { CreateProject, ProjectService } from '../projects/projects.service.ts';
import type { UrlImports } from '../transfers/url-imports.ts';
import { starters } from './starters.data.ts';
import { customTemplate } from './starters.queries.ts';

export const startParameters = {
  import_url: Optional(
    Str({
      maxLength: 2048,
      description:
        'Address of a repository elsewhere, with name and password where it needs them; fetched in the background',
    }),
  ),
  template_name: Optional(
    Str({
      maxLength: 255,
      description: 'Template of the product (`/templates/projects`), or path of one that is kept',
    }),
  ),
  template_project_id: Optional(Int({ description: 'Project kept as a template, with `use_custom_template`' })),
  use_custom_template: Optional(Bool({ default: false, description: 'The template is a project that is kept as one' })),
  group_with_project_templates_id: Optional(
    Int({ description: 'Group whose templates are meant; those of the instance without it' }),
  ),
};
const parameters = Type.Object(startParameters);
type StartParameters = Static<typeof parameters>;

export function startService(
  deps: NamespacesDependencies,
  projects: ProjectService,
  forks: Pick<ForkService, 'copyOf'>,
  imports: Pick<UrlImports, 'start'>,
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
      if (address) return await imports.start(caller, plain, address);
      if (custom) return await forks.copyOf(await kept(caller, params), caller, plain);
      if (!name) return await projects.create(caller, plain);
      const starter = starters.find((each) => each.name === name);
      if (!starter) throw unknown('template_name', name);
      return await projects.create(caller, { ...plain, files: starter.files });
    },
  };
}
export type Starts = ReturnType<typeof startService>;

const ProjectTemplate = Entity('ProjectTemplate', { key: Text(), name: Text(), title: Text(), description: Text() });

export function starterRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/templates/projects',
      summary: 'Projects to start with',
      tag: 'Templates',
      credentials: ['token', 'session'],
      access: { on: 'public' },
      pagination: 'offset',
      params: Type.Object({}),
      responses: { 200: ListOf(ProjectTemplate) },
      handler: async ({ page }) =>
        slicePage(
          page,
          starters.map(({ name, title, description }) => ({ key: name, name, title, description })),
        ),
    }),
  ];
}
