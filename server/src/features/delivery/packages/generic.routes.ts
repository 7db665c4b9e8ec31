/** Publishing files of generic packages, and downloading them by name. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import {
  answer,
  Binary,
  Empty,
  elsewhere,
  type Route,
  redirectSeconds,
  route,
  streamed,
} from '../../../kernel/http/route.ts';
import { type PackagePresenter, PublishedPackageFile, packageStatuses } from './packages.entity.ts';
import { findFile, markDownloaded, publishedBy } from './packages.queries.ts';
import { credentials, packageTag, pullPackage, readScopes } from './packages.routes.ts';
import { fileOf, type PackageService, type PackagesDependencies } from './packages.service.ts';

const path = '/projects/:id/packages/generic/:package_name/:package_version/*';
const named = {
  id: IdOrPath('Id or path of the project'),
  package_name: Str({ description: 'Letters, digits, `.`, `_`, `+` and `-`' }),
  package_version: Str({ description: 'Letters, digits, `.`, `_`, `+` and `-`' }),
  path: Str({ description: 'Name of the file, also in folders' }),
};
const Published = Entity('PublishedPackageFile', { message: Text() });
const bytes = 'application/octet-stream';

export function genericPackageRoutes(
  { db, objects }: Pick<PackagesDependencies, 'db' | 'objects'>,
  present: PackagePresenter,
  packages: PackageService,
): Route[] {
  return [
    route({
      tag: packageTag,
      credentials,
      scopes: ['api', 'write_package_registry'],
      access: { on: 'project', ability: 'create_package' },
      method: 'PUT',
      path,
      summary: 'Publish a file of a generic package',
      rawBody: bytes,
      params: Type.Object({
        ...named,
        status: Optional(
          OneOf(packageStatuses, { description: 'Hidden packages are not in lists; default `default`' }),
        ),
        select: Optional(OneOf(['package_file'], { description: 'Answer the file instead of a message' })),
      }),
      responses: { 201: Type.Union([Published, PublishedPackageFile]) },
      handler: async (context) => {
        const { params, subject, caller, request, signal } = context;
        const of = fileOf(params.package_name, params.package_version, params.path);
        const asked = { subject, caller, origin: originOf(context) };
        const made = await packages.publish(asked, of, params.status, request.raw, signal);
        if (params.select === undefined) return answer(201, { message: '201 Created' });
        const by = await publishedBy(db, made.pipeline_id === null ? [] : [made.pipeline_id]);
        return answer(201, present.publishedFile(subject, of, made, by));
      },
    }),
    route({
      tag: packageTag,
      credentials,
      scopes: readScopes,
      access: pullPackage,
      method: 'GET',
      path,
      summary: 'Download a file of a generic package',
      params: Type.Object(named),
      responses: { 200: Binary, 302: Empty },
      media: [bytes],
      handler: async ({ params, subject }) => {
        const of = fileOf(params.package_name, params.package_version, params.path);
        const file = await findFile(db, subject.project.id, of);
        if (!file || !(await objects.exists(file.object_key))) throw recordNotFound();
        await markDownloaded(db, file.package_id);
        const filename = params.path.slice(params.path.lastIndexOf('/') + 1);
        const signed = { seconds: redirectSeconds, filename, contentType: bytes };
        const address = await objects.signedUrl(file.object_key, signed);
        if (address !== null) return elsewhere(address);
        const sha256 = file.sha256.toString('hex');
        return streamed(async () => objects.get(file.object_key), bytes, {
          ETag: `"${sha256}"`,
          'X-Checksum-SHA256': sha256,
          'Content-Disposition': attachment(filename),
          'Content-Security-Policy': "sandbox; default-src 'none'",
          'Content-Length': String(file.size),
        });
      },
    }),
  ];
}
