/** Routes of exports and imports of projects. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { notFound, plainError } from '../../../kernel/http/errors.ts';
import { Bool, FileParam, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { loadProject, type ParentLoader } from '../../../kernel/http/parents.ts';
import { Binary, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { DeletionService } from '../../namespaces/index.ts';
import { findProjectSubject, projectId } from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { archiveAnswer } from './downloads.ts';
import type { ExportService } from './exports.ts';
import type { ImportService } from './imports.ts';
import { archivedParameters } from './manifest.ts';
import {
  CanceledImport,
  canceledJson,
  exportJson,
  importJson,
  ProjectExport,
  ProjectImport,
} from './transfers.entity.ts';

export interface TransferRouteDependencies {
  readonly deps: PortabilityDependencies;
  readonly objects: Pick<ObjectStore, 'get' | 'signedUrl'>;
  readonly parents: ParentLoader;
  readonly exports: ExportService;
  readonly imports: ImportService;
  readonly deletion: DeletionService;
}

const common = { credentials: ['token', 'session'], tag: 'Exports and imports' } as const;
const Accepted = Entity('ExportAccepted', { message: Text() });
const largestUpload = 10 * 1024 ** 3;

export function transferRoutes({
  deps,
  objects,
  parents,
  exports,
  imports,
  deletion,
}: TransferRouteDependencies): Route[] {
  const { db, externalUrl } = deps;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/export',
      summary: 'Export a project, in the background',
      rate: 'project_export',
      access: { on: 'project', ability: 'export_project' },
      params: Type.Object({
        ...projectId,
        description: Optional(Str({ maxLength: 2000, description: 'What the archive is for' })),
        upload: Optional(
          Type.Object(
            {
              // Typed clients send the hash always, empty where nothing is to be sent.
              url: Optional(Str({ maxLength: 2048, description: 'Address of http or https' })),
              http_method: Optional(OneOf(['PUT', 'POST'], { default: 'PUT', description: 'How it is sent' })),
            },
            { description: 'Where the archive is sent when it is there' },
          ),
        ),
      }),
      responses: { 202: Accepted },
      handler: async ({ params, subject, caller }) => {
        await exports.start(subject, caller, {
          ...(params.description === undefined ? {} : { description: params.description }),
          ...(params.upload?.url ? { url: params.upload.url, method: params.upload.http_method ?? 'PUT' } : {}),
        });
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/export',
      summary: 'Get the status of the export of a project',
      access: { on: 'project', ability: 'export_project' },
      params: Type.Object(projectId),
      responses: { 200: ProjectExport },
      handler: async ({ subject }) => exportJson(subject, await exports.find(subject.project.id), externalUrl),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/export/download',
      summary: 'Download the export of a project',
      rate: 'project_download_export',
      access: { on: 'project', ability: 'export_project' },
      params: Type.Object(projectId),
      responses: { 200: Binary, 302: Empty },
      media: ['application/gzip'],
      handler: async ({ subject, request }) => {
        const row = await exports.find(subject.project.id);
        const key = row?.object_key;
        if (!row || !key) throw notFound('Export');
        const name = `${(row.finished_at ?? row.created_at).toISOString().slice(0, 10)}_${subject.project.path}.tar.gz`;
        return await archiveAnswer(objects, request, { key, size: row.size ?? 0, filename: name });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/import',
      summary: 'Import a project from an archive, in the background',
      rate: 'project_import',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        file: FileParam({ description: 'The archive' }),
        path: Str({ minLength: 1, maxLength: 255, description: 'Last part of the address of the project' }),
        name: Optional(Str({ maxLength: 255, description: 'Name of the project; the path by default' })),
        namespace: Optional(IdOrPath('Id or path of the group or person; the caller by default')),
        namespace_id: Optional(Int({ description: 'The same by id' })),
        namespace_path: Optional(Str({ description: 'The same by path' })),
        overwrite: Optional(
          Bool({ default: false, description: 'Remove the project that has the path, as its deletion would' }),
        ),
        override_params: Optional(
          Type.Object(archivedParameters, {
            description: 'Attributes of the project in place of those in the archive',
          }),
        ),
      }),
      maxFileBytes: largestUpload,
      responses: { 201: ProjectImport },
      errors: [404],
      handler: async ({ params, caller, signal }) => {
        const { file, path, name, override_params: override } = params;
        const { namespace_id, namespace_path } = params;
        const namespace = namespace_id === undefined ? (namespace_path ?? params.namespace) : String(namespace_id);
        const makeRoom = async (fullPath: string): Promise<void> => {
          const before = await findProjectSubject(db, fullPath, caller.user?.id ?? null);
          if (!before) return;
          const taken = await loadProject(parents, String(before.project.id), caller, 'remove_project');
          await deletion.scheduleProject(taken, caller, {});
        };
        const subject = await imports.start(caller, {
          file,
          path,
          signal,
          ...(name ? { name } : {}),
          ...(namespace === undefined ? {} : { namespace }),
          ...(override ? { override } : {}),
          ...(params.overwrite ? { makeRoom } : {}),
        });
        return importJson(subject, await imports.find(subject.project.id), true);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/import',
      summary: 'Get the status of the import of a project',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object(projectId),
      responses: { 200: ProjectImport },
      handler: async ({ subject, caller }) =>
        importJson(subject, await imports.find(subject.project.id), canOnProject(caller, 'update_project', subject)),
    }),
    // The neutral name of the specification, and the one that clients of the ecosystem call.
    ...['hostedgit', 'github'].map((provider) =>
      route({
        ...common,
        method: 'POST',
        path: `/import/${provider}/cancel`,
        summary: 'Cancel an import that is in progress',
        access: { on: 'instance', ability: 'signed_in' },
        params: Type.Object({ project_id: Int({ description: 'The project that is being imported' }) }),
        responses: { 200: CanceledImport },
        errors: [404],
        handler: async ({ params, caller }) => {
          const subject = await loadProject(parents, String(params.project_id), caller, 'update_project');
          if (!(await imports.cancel(subject.project.id))) throw plainError(400, 'Import cannot be canceled');
          return canceledJson(subject, await imports.find(subject.project.id));
        },
      }),
    ),
  ];
}
