/** Routes of exports and imports of groups. */
import Type from 'typebox';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { plainError } from '../../../kernel/http/errors.ts';
import { FileParam, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { groupId } from '../../namespaces/index.ts';
import { archiveAnswer } from '../project-archives/downloads.ts';
import type { GroupExports } from './group-exports.ts';
import type { GroupImports } from './group-imports.ts';
import { GroupImport, groupImportJson } from './group-transfers.entity.ts';

const common = { credentials: ['token', 'session'], tag: 'Exports and imports' } as const;
const access = { on: 'group', ability: 'export_group' } as const;
const Accepted = Entity('GroupTransferAccepted', { message: Text() });
const largestUpload = 10 * 1024 ** 3;

export function groupTransferRoutes(
  objects: Pick<ObjectStore, 'get' | 'signedUrl'>,
  exports: GroupExports,
  imports: GroupImports,
): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/export',
      summary: 'Export a group with everything below it, in the background',
      rate: 'group_export',
      access,
      params: Type.Object(groupId),
      responses: { 202: Accepted },
      handler: async ({ subject, caller }) => {
        await exports.start(subject, caller);
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/export/download',
      summary: 'Download the export of a group',
      rate: 'group_download_export',
      access,
      params: Type.Object(groupId),
      responses: { 200: Binary, 302: Empty },
      media: ['application/gzip'],
      handler: async ({ subject, request }) => {
        const row = await exports.find(subject.group.id);
        if (row?.state === 'failed' && row.object_key === null)
          throw plainError(404, row.error ?? 'The group could not be exported');
        if (!row) throw plainError(404, '404 Not found or has expired');
        const { object_key: key, size } = row;
        if (key === null || size === null) throw plainError(404, 'The group export file is not available yet');
        const day = (row.finished_at ?? row.created_at).toISOString().slice(0, 10);
        return await archiveAnswer(objects, request, { key, size, filename: `${day}_${subject.group.path}.tar.gz` });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/import',
      summary: 'Import a group from an archive, in the background',
      rate: 'group_import',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        file: FileParam({ description: 'The archive' }),
        name: Str({ minLength: 1, maxLength: 255, description: 'Name of the group' }),
        path: Str({ minLength: 1, maxLength: 255, description: 'Last part of the address of the group' }),
        parent_id: Optional(OrNull(Int({ description: 'The group that it is made in; a top-level group without it' }))),
      }),
      maxFileBytes: largestUpload,
      responses: { 202: Accepted },
      errors: [404],
      handler: async ({ params, caller, signal }) => {
        const { file, name, path, parent_id: parentId = null } = params;
        await imports.start(caller, { file, name, path, parentId, signal });
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/import',
      summary: 'Get the status of the import of a group',
      access,
      params: Type.Object(groupId),
      responses: { 200: GroupImport },
      handler: async ({ subject }) => groupImportJson(subject, await imports.find(subject.group.id)),
    }),
  ];
}
