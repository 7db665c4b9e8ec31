/** Routes of files that Markdown shows or links to: uploaded by members, listed and removed by maintainers. */
import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { Count, Entity, Fields, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { FileParam, IdOrPath, Int, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route, type Streamed, streamed } from '../../../kernel/http/route.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Place } from '../../namespaces/index.ts';
import { headersOf, markdownOf, safeName, uploadTypes } from './files.ts';
import {
  countUploads,
  deleteUpload,
  findUpload,
  insertUpload,
  type ListedUpload,
  listUploads,
  type Upload,
} from './uploads.queries.ts';

const NewUpload = Entity('NewMarkdownUpload', {
  id: Id(),
  alt: Text({ description: 'What stands for the file where it cannot be shown' }),
  url: Text({ description: 'For links in Markdown texts of the project or group' }),
  full_path: Text({ description: 'Path on this server' }),
  markdown: Text({ description: 'The file in Markdown' }),
});
const UploadEntity = Entity('MarkdownUpload', {
  id: Id(),
  size: Count({ description: 'Bytes' }),
  filename: Text(),
  created_at: Timestamp(),
  uploaded_by: Nullable(Fields({ id: Id(), name: Text(), username: Text() }), {
    description: 'Null where the account is gone',
  }),
});

const listed = ({ id, size, file_name, created_at, uploaded_by }: ListedUpload) => ({
  id,
  size,
  filename: file_name,
  created_at,
  uploaded_by,
});

const common = { credentials: ['token', 'session'], tag: 'Markdown uploads' } as const;
const conditional = true;
const uploadId = Int({ description: 'Id of the upload' });
const secret = Str({ description: 'Secret of the upload, 32 characters' });
const filename = Str({ description: 'Name of the file' });

const kinds = [
  {
    kind: 'project',
    noun: 'Project',
    write: { on: 'project', ability: 'upload_file' },
    read: { on: 'project', ability: 'read_upload' },
    admin: { on: 'project', ability: 'admin_upload' },
  },
  {
    kind: 'group',
    noun: 'Group',
    write: { on: 'group', ability: 'upload_group_file' },
    read: { on: 'group', ability: 'read_group_upload' },
    admin: { on: 'group', ability: 'admin_group_upload' },
  },
] as const;

const idOf = (place: Place) => (place.kind === 'project' ? place.project.id : place.group.id);

/** The file that an address names; its name is compared, never used as a path. */
export async function uploadAt(db: Db, place: Place, address: { secret: string; filename: string }) {
  const upload = /^[0-9a-f]{32}$/.test(address.secret) ? await findUpload(db, place, address.secret) : undefined;
  return upload?.file_name === address.filename ? upload : undefined;
}

export function uploadRoutes(deps: {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'putFile' | 'get' | 'exists' | 'remove'>;
  readonly settings: Settings;
}): Route[] {
  const { db, objects, settings } = deps;
  const maxFileBytes = {
    setting: 'max_attachment_size',
    bytes: async () => (await settings.read()).max_attachment_size * 1024 * 1024,
  };

  async function find(place: Place, id: number): Promise<Upload> {
    const upload = await findUpload(db, place, id);
    if (!upload) throw notFound('Upload');
    return upload;
  }
  async function findAt(place: Place, address: { secret: string; filename: string }): Promise<Upload> {
    const upload = await uploadAt(db, place, address);
    if (!upload) throw notFound('Upload');
    return upload;
  }
  async function send(upload: Upload): Promise<Streamed> {
    if (!(await objects.exists(upload.object_key))) throw notFound('Upload');
    const { type, headers } = headersOf(upload);
    return streamed(async () => objects.get(upload.object_key), type, {
      ...headers,
      ETag: `"${upload.object_key}"`,
    });
  }
  async function remove(place: Place, found: Upload, unmodifiedSince: (changedAt: Date) => void): Promise<void> {
    unmodifiedSince(found.created_at);
    if (!(await transaction(db, (tx) => deleteUpload(tx, place, found.id)))) throw notFound('Upload');
  }

  return kinds.flatMap(({ kind, noun, write, read, admin }) => {
    const base = `/${kind}s/:id/uploads`;
    const parent = { id: IdOrPath(noun) };
    const byId = { ...common, access: admin, params: Type.Object({ ...parent, upload_id: uploadId }) };
    const byAddress = Type.Object({ ...parent, secret, filename });
    return [
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Upload a file for the Markdown of a ${kind}`,
        access: write,
        params: Type.Object({ ...parent, file: FileParam({ description: 'The file' }) }),
        maxFileBytes,
        responses: { 201: NewUpload },
        handler: async ({ params: { file }, subject, caller }) => {
          const name = safeName(file.filename);
          const { key, size } = await objects.putFile(file.path, { size: file.size, sha256: file.sha256 });
          const code = randomBytes(16).toString('hex');
          try {
            const row = { secret: code, file_name: name, object_key: key, size };
            const id = await insertUpload(db, subject, { ...row, uploadedById: caller.user?.id ?? null });
            const url = `/uploads/${code}/${name}`;
            return { id, ...markdownOf(name, url), url, full_path: `/-/${kind}/${idOf(subject)}${url}` };
          } catch (error) {
            await objects.remove(key);
            throw error;
          }
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List uploads of a ${kind}`,
        access: admin,
        params: Type.Object(parent),
        pagination: 'offset',
        responses: { 200: ListOf(UploadEntity) },
        handler: async ({ page, subject }) => {
          const [rows, total] = await Promise.all([listUploads(db, subject, page), countUploads(db, subject)]);
          return mapPage(offsetPage(page, rows, total), listed);
        },
      }),
      route({
        ...byId,
        method: 'GET',
        path: `${base}/:upload_id`,
        summary: `Download an upload of a ${kind} by its id`,
        responses: { 200: Binary },
        media: uploadTypes,
        handler: async ({ params, subject }) => await send(await find(subject, params.upload_id)),
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:secret/:filename`,
        summary: `Download an upload of a ${kind} by its secret and file name`,
        access: read,
        params: byAddress,
        responses: { 200: Binary },
        media: uploadTypes,
        handler: async ({ params, subject }) => await send(await findAt(subject, params)),
      }),
      route({
        ...byId,
        method: 'DELETE',
        path: `${base}/:upload_id`,
        summary: `Delete an upload of a ${kind} by its id`,
        conditional,
        responses: { 204: Empty },
        handler: async ({ params, subject, unmodifiedSince }) =>
          await remove(subject, await find(subject, params.upload_id), unmodifiedSince),
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:secret/:filename`,
        summary: `Delete an upload of a ${kind} by its secret and file name`,
        access: admin,
        params: byAddress,
        conditional,
        responses: { 204: Empty },
        handler: async ({ params, subject, unmodifiedSince }) =>
          await remove(subject, await findAt(subject, params), unmodifiedSince),
      }),
    ];
  });
}
