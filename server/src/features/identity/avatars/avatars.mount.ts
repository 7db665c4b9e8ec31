/** `/uploads/-/system/user/avatar/:id/:file`: pictures of users. */
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../../kernel/db/index.ts';
import { formerPictureFile, pictureFile, readPicture, sendPicture } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { findUser } from '../users/index.ts';
import { avatarRules } from './avatars.service.ts';

export function mountAvatars(server: FastifyInstance, db: Db, objects: ObjectStore, externalUrl: string): void {
  server.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/user/avatar/:id/:file',
    async (request, reply) => {
      const { id, file } = request.params;
      const user = /^\d{1,15}$/.test(id) ? await findUser(db, Number(id)) : undefined;
      const stored = user?.avatar_object_key ?? null;
      if (stored !== null && formerPictureFile(stored) === file)
        return reply.redirect(`${externalUrl}/uploads/-/system/user/avatar/${id}/${pictureFile(stored)}`, 301);
      const read = (key: string) => readPicture(objects, key, avatarRules);
      return await sendPicture(request, reply, { file, stored, open: true, read });
    },
  );
}
