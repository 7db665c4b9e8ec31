/**
 * `/group/project/uploads/SECRET/a.png`: uploads below the page of their project. Clients join the `url` of an upload to
 * that address, as in links of releases.
 */
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { PageFile } from '../../../kernel/http/page-files.ts';
import { streamed } from '../../../kernel/http/route.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { headersOf } from './files.ts';
import { uploadAt } from './uploads.routes.ts';

export function uploadFile(deps: { readonly db: Db; readonly objects: Pick<ObjectStore, 'get' | 'exists'> }): PageFile {
  return {
    name: 'upload',
    pattern: /^uploads\/(?<secret>[0-9a-f]{32})\/(?<filename>[^/]+)$/,
    withoutDash: true,
    ability: 'read_upload',
    async handler({ subject, params: { secret = '', filename = '' } }) {
      const upload = await uploadAt(deps.db, subject, { secret, filename });
      if (!upload || !(await deps.objects.exists(upload.object_key))) throw notFound('Upload');
      const { type, headers } = headersOf(upload);
      return streamed(async () => deps.objects.get(upload.object_key), type, headers);
    },
  };
}
