/** Routes of forks. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { Bool, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { ListProjects, PresentProjects } from '../../namespaces/index.ts';
import {
  listOptions,
  Project,
  projectId,
  visibilities,
  wideFilterOf,
  wideListParameters,
} from '../../namespaces/index.ts';
import type { ForkService } from './forks.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Around projects' } as const;

export function forkRoutes(forks: ForkService, list: ListProjects, present: PresentProjects): Route[] {
  const one = async (subject: ProjectSubject, caller: Caller) =>
    (await present([subject], caller, { runnersToken: true }))[0];
  return [
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/fork',
      summary: 'Fork a project; `import_status` tells when its repository is there',
      access: { on: 'project', ability: 'fork_project' },
      params: Type.Object({
        ...projectId,
        name: Optional(Str({ description: 'Default: that of the project' })),
        path: Optional(Str({ description: 'Default: that of the project' })),
        namespace_id: Optional(Int({ description: 'Where it goes; the personal namespace by default' })),
        namespace_path: Optional(Str({ description: 'The same by path' })),
        namespace: Optional(IdOrPath('The same by id or path') as ReturnType<typeof Str>),
        description: Optional(Str({ maxLength: 2000, description: 'Default: that of the project' })),
        visibility: Optional(OneOf(visibilities, { description: 'Who may see it' })),
        branches: Optional(Str({ description: 'The one branch that is copied; all by default' })),
        mr_default_target_self: Optional(Bool({ description: 'Whether its merge requests stay in it by default' })),
      }),
      responses: { 201: Project },
      errors: [409],
      handler: async ({ subject, caller, params }) => {
        const { id: _, namespace_id, namespace_path, namespace, branches, ...rest } = params;
        const wanted = namespace_id === undefined ? (namespace_path ?? namespace) : String(namespace_id);
        const options = {
          ...rest,
          ...(wanted === undefined ? {} : { namespace: wanted }),
          ...(branches ? { branches: [branches] } : {}),
        };
        return await one(await forks.fork(subject, caller, options), caller);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/forks',
      summary: 'List forks of a project that you can see',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({ ...projectId, ...wideListParameters }),
      pagination: 'both',
      responses: { 200: ListOf(Project) },
      handler: ({ params, page, caller, subject }) =>
        list(
          caller,
          page,
          { ...wideFilterOf(params, caller), forkedFromId: subject.project.id },
          listOptions(params, caller),
        ),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/fork/:forked_from_id',
      summary: 'Create a fork relationship between two projects',
      access: { on: 'project', ability: 'link_fork' },
      params: Type.Object({ ...projectId, forked_from_id: IdOrPath('The project that it was forked from') }),
      responses: { 201: Project },
      errors: [409],
      handler: async ({ subject, caller, params }) =>
        await one(await forks.relate(subject, caller, params.forked_from_id), caller),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/projects/:id/fork',
      summary: 'Remove the fork relationship of a project',
      access: { on: 'project', ability: 'link_fork' },
      params: Type.Object(projectId),
      responses: { 204: Empty, 304: Empty },
      conditional: 'The relation between two projects has no date of its own.',
      handler: async ({ subject, caller }) => ((await forks.unrelate(subject, caller)) ? undefined : answer(304)),
    }),
  ];
}
