/** `/uploads/-/system/user/avatar/:id/:file`: pictures as what their bytes are, so that nothing in them can run. */
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../../kernel/db/index.ts';
import { etagMatches } from '../../../kernel/http/conditional.ts';
import { noSuchRoute } from '../../../kernel/http/errors.ts';
import { readAll } from '../../../kernel/http/params/body.ts';
import { formerPictureFile, imageType, pictureFile, pictureKey, pictureTag } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { findUser } from '../users/index.ts';
import { maximumAvatarBytes } from './avatars.service.ts';

export function mountAvatars(server: FastifyInstance, db: Db, objects: ObjectStore, externalUrl: string): void {
  server.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/user/avatar/:id/:file',
    async (request, reply) => {
      const { id, file } = request.params;
      const user = /^\d{1,15}$/.test(id) ? await findUser(db, Number(id)) : undefined;
      const stored = user?.avatar_object_key ?? '';
      if (stored !== '' && formerPictureFile(stored) === file)
        return reply.redirect(`${externalUrl}/uploads/-/system/user/avatar/${id}/${pictureFile(stored)}`, 301);
      const key = pictureKey(stored);
      // The name is compared, never used as a path.
      if (stored === '' || pictureFile(stored) !== file || !(await objects.exists(key))) throw noSuchRoute();
      const etag = pictureTag(stored);
      void reply.header('ETag', etag).header('Cache-Control', 'public, no-cache');
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const bytes = await readAll(objects.get(key), 'avatar', maximumAvatarBytes);
      const type = imageType(bytes);
      if (type === null) throw noSuchRoute();
      return reply
        .header('Content-Type', type)
        .header('X-Content-Type-Options', 'nosniff')
        .header('Content-Security-Policy', "default-src 'none'; sandbox")
        .header('Cross-Origin-Resource-Policy', 'same-origin')
        .send(bytes);
    },
  );
}
