/** Routes of one project. */

import { Readable } from 'node:stream';
import Type from 'typebox';
import { inPerson } from '../../../kernel/authz/acting.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, Int, OneOf, Optional, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { findUser } from '../../identity/index.ts';
import { type Pictures, pictureTypes } from '../avatars/pictures.ts';
import type { DeletionService } from '../deletion/deletion.service.ts';
import type { ProjectStarts } from '../ports.ts';
import { attributeParameters } from './attributes.params.ts';
import { mirrorParameters } from './mirror.params.ts';
import type { PresentOptions, PresentProjects } from './presenter.ts';
import { Project } from './projects.entity.ts';
import { projectId } from './projects.params.ts';
import type { ProjectService } from './projects.service.ts';
import { startParameters } from './start.params.ts';

export interface ProjectRouteDependencies {
  readonly db: Db;
  readonly projects: ProjectService;
  readonly starts: ProjectStarts;
  readonly deletion: DeletionService;
  readonly present: PresentProjects;
  readonly pictures: Pictures;
}

const common = { credentials: ['token', 'session'], tag: 'Projects' } as const;
const Accepted = Entity('Accepted', { message: Text() });

/** What the repository of a new project is, and starts with. */
const firstContent = {
  initialize_with_readme: Optional(Bool({ default: false, description: 'Make a first commit with a README' })),
  repository_object_format: Optional(OneOf(['sha1'], { description: 'Hash of the repository' })),
};

export function projectRoutes({
  db,
  projects,
  starts,
  deletion,
  present,
  pictures,
}: ProjectRouteDependencies): Route[] {
  const one = async (subject: ProjectSubject, caller: Caller, options?: PresentOptions) =>
    (await present([subject], caller, { ...options, runnersToken: true }))[0];

  return [
    route({
      ...common,
      method: 'POST',
      path: '/projects',
      summary: 'Create a project',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object(
        {
          ...attributeParameters,
          name: Optional(Str({ description: 'Required without `path`' })),
          path: Optional(Str({ description: 'Made from the name by default' })),
          namespace_id: Optional(Int({ description: 'Default: the personal namespace' })),
          ...firstContent,
          ...startParameters,
        },
        rules(atLeastOneOf('name', 'path')),
      ),
      responses: { 201: Project },
      errors: [409, 422],
      handler: async ({ params, caller }) => await one(await starts.create(caller, params), caller),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/user/:user_id',
      summary: 'Create a project for a user, in their personal namespace unless another is given',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({
        user_id: Int({ description: 'User' }),
        ...attributeParameters,
        name: Str({ description: 'Name of the project' }),
        path: Optional(Str({ description: 'Made from the name by default' })),
        namespace_id: Optional(Int({ description: 'Default: the personal namespace' })),
        ...firstContent,
        ...startParameters,
      }),
      responses: { 201: Project },
      errors: [409, 422],
      handler: async ({ params, caller }) => {
        const { user_id, ...wanted } = params;
        const user = await findUser(db, user_id);
        if (!user) throw notFound('User');
        // As if they had made it themselves, with what they may; events name the administrator too.
        const made = await starts.create({ ...inPerson(user), impersonator: caller.user ?? user }, wanted);
        return await one(await projects.reload(made.project, caller), caller);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id',
      summary: 'Get a project',
      rate: 'project_api',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({
        ...projectId,
        statistics: Optional(Bool({ default: false, description: 'Sizes; reporters and above' })),
        license: Optional(Bool({ default: false, description: 'Also the licence of the default branch' })),
        with_starred: Optional(Bool({ default: false, description: 'Also whether the caller has starred it' })),
        with_counts: Optional(
          Bool({
            default: false,
            description: 'Also how many open issues and merge requests the caller sees; tells visitors `empty_repo`',
          }),
        ),
        with_custom_attributes: Optional(Bool({ default: false, description: 'Administrators only' })),
      }),
      responses: { 200: Project },
      handler: ({ params, caller, subject }) =>
        one(subject, caller, {
          statistics: params.statistics,
          license: params.license,
          starred: params.with_starred,
          counts: params.with_counts,
          elsewhere: true,
          customAttributes: params.with_custom_attributes,
        }),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id',
      summary: 'Update a project',
      access: { on: 'project', ability: 'update_project' },
      params: Type.Object(
        {
          ...projectId,
          ...attributeParameters,
          name: Optional(Str({ description: 'Name of the project' })),
          path: Optional(Str({ description: 'Last part of the address of the project' })),
          archived: Optional(Bool({ description: 'Whether the project is read-only' })),
          import_url: Optional(
            Str({ minLength: 1, maxLength: 2048, description: 'Address of the repository that the project mirrors' }),
          ),
          ...mirrorParameters,
        },
        rules(
          atLeastOneOf(
            ...['name', 'path', ...Object.keys(attributeParameters), 'archived'],
            ...['import_url', ...Object.keys(mirrorParameters)],
          ),
        ),
      ),
      responses: { 200: Project },
      errors: [409],
      handler: async ({ params, caller, subject }) => await one(await starts.update(subject, caller, params), caller),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/projects/:id',
      summary: 'Delete a project, after the retention period',
      access: { on: 'project', ability: 'remove_project' },
      params: Type.Object({
        ...projectId,
        permanently_remove: Optional(Bool({ default: false, description: 'Now; it must wait for removal already' })),
        full_path: Optional(Str({ description: 'Of the project; required to remove it now' })),
      }),
      responses: { 202: Accepted },
      conditional: true,
      handler: async ({ params, caller, subject, unmodifiedSince }) => {
        unmodifiedSince(subject.project.updated_at);
        const options = { permanently: params.permanently_remove, fullPath: params.full_path };
        await deletion.scheduleProject(subject, caller, options);
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/avatar',
      summary: 'Download the avatar of a project',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object(projectId),
      responses: { 200: Binary },
      media: pictureTypes,
      handler: async ({ subject }) => {
        const picture = await pictures.read(subject.project.avatar_object_key);
        if (!picture) throw notFound('Avatar');
        return streamed(Readable.from([picture.bytes]), picture.type, { 'Content-Disposition': 'attachment' });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/restore',
      summary: 'Restore a project that is scheduled for deletion',
      access: { on: 'project', ability: 'restore_project' },
      params: Type.Object(projectId),
      responses: { 201: Project },
      handler: async ({ caller, subject }) => {
        await deletion.restoreProject(subject, caller);
        return await one(await projects.reload(subject.project, caller), caller);
      },
    }),
    ...(['archive', 'unarchive'] as const).map((action) =>
      route({
        ...common,
        method: 'POST',
        path: `/projects/:id/${action}`,
        summary: action === 'archive' ? 'Archive a project: it becomes read-only' : 'Unarchive a project',
        access: { on: 'project', ability: 'archive_project' },
        params: Type.Object(projectId),
        responses: { 201: Project },
        handler: async ({ caller, subject }) =>
          await one(await projects.update(subject, caller, { archived: action === 'archive' }), caller),
      }),
    ),
  ];
}
