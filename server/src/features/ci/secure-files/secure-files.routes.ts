/** Routes of secure files: read by developers and by their jobs, changed by maintainers. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { SecureFile } from '../../../kernel/db/rows.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { FileParam, IdOrPath, Int, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route, streamed } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { SecureFileEntity, secureFileJson } from './secure-files.entity.ts';
import { findSecureFile, listSecureFiles } from './secure-files.queries.ts';
import { maxSecureFileBytes, secureFilesService } from './secure-files.service.ts';

const tag = 'Secure files';
const id = IdOrPath('Id or path of the project');
const secure_file_id = Int({ description: 'Id of the secure file' });
const base = '/projects/:id/secure_files';
const read = {
  tag,
  credentials: ['token', 'session', 'job'],
  access: { on: 'project', ability: 'read_secure_file' },
} as const;
const admin = {
  tag,
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'admin_secure_file' },
} as const;

export function secureFileRoutes(deps: CiDependencies): Route[] {
  const { db } = deps;
  const service = secureFilesService(deps);

  async function find({ project }: ProjectSubject, number: number): Promise<SecureFile> {
    const row = await findSecureFile(db, project.id, number);
    if (!row) throw notFound();
    return row;
  }

  return [
    route({
      ...read,
      method: 'GET',
      path: base,
      summary: 'List secure files of a project',
      params: Type.Object({ id }),
      pagination: 'offset',
      responses: { 200: ListOf(SecureFileEntity) },
      handler: async ({ subject, page }) => {
        const { rows, total } = await listSecureFiles(db, subject.project.id, page);
        return mapPage(offsetPage(page, rows, total), secureFileJson);
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: `${base}/:secure_file_id`,
      summary: 'Get a secure file of a project',
      params: Type.Object({ id, secure_file_id }),
      responses: { 200: SecureFileEntity },
      handler: async ({ subject, params }) => secureFileJson(await find(subject, params.secure_file_id)),
    }),
    route({
      ...admin,
      method: 'POST',
      path: base,
      summary: 'Upload a secure file to a project',
      params: Type.Object({
        id,
        name: Str({ description: 'Name, unique in the project' }),
        file: FileParam({ description: 'The file, at most 5 MiB' }),
      }),
      maxFileBytes: maxSecureFileBytes,
      responses: { 201: SecureFileEntity },
      handler: async (context) => {
        const { name, file } = context.params;
        return secureFileJson(await service.create(context.subject, name, file, originOf(context)));
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: `${base}/:secure_file_id/download`,
      summary: 'Download a secure file of a project',
      params: Type.Object({ id, secure_file_id }),
      responses: { 200: Binary },
      media: ['application/octet-stream'],
      handler: async ({ subject, params }) => {
        const row = await find(subject, params.secure_file_id);
        return streamed(async () => Readable.from([await service.content(row)]), 'application/octet-stream', {
          'Content-Disposition': attachment(row.name),
          'Content-Length': String(row.size),
          'Cache-Control': 'no-store',
        });
      },
    }),
    route({
      ...admin,
      method: 'DELETE',
      path: `${base}/:secure_file_id`,
      summary: 'Delete a secure file of a project',
      params: Type.Object({ id, secure_file_id }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const row = await find(context.subject, context.params.secure_file_id);
        context.unmodifiedSince(row.created_at);
        await service.remove(context.subject, row, originOf(context));
      },
    }),
  ];
}
