/** Routes of templates of files. */
import type { Static } from 'typebox';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync, slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { filled } from './licenses.data.ts';
import { LicenseTemplate, Template, TemplateName } from './templates.entity.ts';
import { type FoundTemplate, type TemplateService, templateKinds } from './templates.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Templates' } as const;
const key = Str({ minLength: 1, maxLength: 255, description: 'Key of the template, as the list tells it' });
const names = {
  project: Optional(Str({ maxLength: 255, description: 'Name of the program that licences are filled in with' })),
  fullname: Optional(Str({ maxLength: 255, description: 'Holder of the rights; your name by default' })),
};
interface Names {
  readonly project?: string | undefined;
  readonly fullname?: string | undefined;
}

const projectType = OneOf(templateKinds, { description: 'Kind of the templates' });
const nouns = { dockerfiles: 'Dockerfile', gitignores: 'Gitignore', gitlab_ci_ymls: 'Gitlab ci yml' } as const;
const summaries = {
  dockerfiles: 'Dockerfile templates',
  gitignores: '.gitignore templates',
  gitlab_ci_ymls: 'CI/CD configuration templates',
} as const;

async function licenseJson(template: FoundTemplate, names: Names) {
  const { license, key, name } = template;
  return {
    key,
    name,
    nickname: license?.nickname ?? null,
    popular: license?.popular ?? false,
    html_url: license ? `https://choosealicense.com/licenses/${key}/` : null,
    source_url: license?.source ?? null,
    description: license?.description ?? null,
    conditions: [...(license?.conditions ?? [])],
    permissions: [...(license?.permissions ?? [])],
    limitations: [...(license?.limitations ?? [])],
    content: filled(await template.content(), names),
  } satisfies Static<typeof LicenseTemplate>;
}

/** Where nobody else is named, the holder of the rights is who asks. */
const namesOf = ({ project, fullname }: Names, caller: Caller): Names => ({
  project,
  fullname: fullname ?? caller.user?.name,
});

const nameJson = ({ key, name }: FoundTemplate) => ({ key, name });

export function templateRoutes(templates: TemplateService): Route[] {
  /** What people write into forms is part of the code; the rest is what everybody is offered. */
  function requireReadable(kind: (typeof templateKinds)[number], subject: ProjectSubject, caller: Caller): void {
    if (kind === 'issues' || kind === 'merge_requests') requireOnProject(caller, 'read_code', subject);
  }

  return [
    ...(['dockerfiles', 'gitignores', 'gitlab_ci_ymls'] as const).flatMap((kind) => [
      route({
        ...common,
        method: 'GET',
        path: `/templates/${kind}`,
        summary: `List ${summaries[kind]}`,
        access: { on: 'public' },
        pagination: 'offset',
        params: Type.Object({}),
        responses: { 200: ListOf(TemplateName) },
        handler: async ({ page }) => slicePage(page, (await templates.list(kind, null)).map(nameJson)),
      }),
      route({
        ...common,
        method: 'GET',
        path: `/templates/${kind}/:key`,
        summary: `Get one of the ${summaries[kind]}`,
        access: { on: 'public' },
        params: Type.Object({ key }),
        responses: { 200: Template },
        handler: async ({ params }) => {
          const found = await templates.one(kind, null, params.key);
          if (!found) throw notFound(nouns[kind]);
          return { name: found.name, content: await found.content() };
        },
      }),
    ]),
    route({
      ...common,
      method: 'GET',
      path: '/templates/licenses',
      summary: 'List license templates',
      access: { on: 'public' },
      pagination: 'offset',
      params: Type.Object({
        popular: Optional(Bool({ description: 'Only those that many projects use, or only the others' })),
      }),
      responses: { 200: ListOf(LicenseTemplate) },
      handler: async ({ params, page }) => {
        const all = await templates.list('licenses', null);
        const { popular } = params;
        const some = all.filter(({ license }) => popular === undefined || (license?.popular ?? false) === popular);
        // Nobody is named in a list: every answer is the same for everybody.
        return await mapPageAsync(slicePage(page, some), (found) => licenseJson(found, {}));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/templates/licenses/:key',
      summary: 'Get a license template with its placeholders filled in',
      access: { on: 'public' },
      params: Type.Object({ key, ...names }),
      responses: { 200: LicenseTemplate },
      handler: async ({ params, caller }) => {
        const found = await templates.one('licenses', null, params.key);
        if (!found) throw notFound('License');
        return await licenseJson(found, namesOf(params, caller));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/templates/:type',
      summary: 'List templates that a project can use',
      access: { on: 'project', ability: 'read_project' },
      pagination: 'offset',
      params: Type.Object({ id: IdOrPath('Id or path of the project'), type: projectType }),
      responses: { 200: ListOf(TemplateName) },
      handler: async ({ params, subject, caller, page }) => {
        requireReadable(params.type, subject, caller);
        return slicePage(page, (await templates.list(params.type, subject)).map(nameJson));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/templates/:type/:key',
      summary: 'Get a template that a project can use',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        type: projectType,
        key,
        source_template_project_id: Optional(
          Int({ description: 'Project that keeps it, where several have one of this name' }),
        ),
        ...names,
      }),
      responses: { 200: Type.Union([LicenseTemplate, Template]) },
      handler: async ({ params, subject, caller }) => {
        requireReadable(params.type, subject, caller);
        const found = await templates.one(params.type, subject, params.key, params.source_template_project_id);
        if (!found) throw notFound('Template');
        if (params.type !== 'licenses') return { name: found.name, content: await found.content() };
        return await licenseJson(found, namesOf(params, caller));
      },
    }),
  ];
}
