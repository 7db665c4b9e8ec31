/** `/uploads/-/system/group/avatar/:id/:file`: pictures of groups, for who sees the group. */
import type { FastifyInstance } from 'fastify';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import { noSuchRoute } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { Pictures } from './pictures.ts';

export function mountGroupAvatars(
  server: FastifyInstance,
  deps: { readonly resolver: CredentialResolver; readonly parents: ParentLoader; readonly pictures: Pictures },
): void {
  server.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/group/avatar/:id/:file',
    async (request, reply) => {
      const { id, file } = request.params;
      const found = await authenticate(deps.resolver, request, {}, ['token', 'session']);
      const reads = found?.scopes === null || found?.scopes.has('api') || found?.scopes.has('read_api');
      const caller = found && reads ? found : anonymous;
      const subject = /^\d{1,15}$/.test(id) ? await deps.parents.group(id, caller) : null;
      if (!subject || !canOnGroup(caller, 'read_group', subject)) throw noSuchRoute();
      // The name is compared, never used as a path.
      const picture = subject.group.avatar_object_key === file ? await deps.pictures.read(file) : null;
      if (!picture) throw noSuchRoute();
      const shared = subject.group.visibility === 'public' ? 'public' : 'private';
      return reply
        .header('Content-Type', picture.type)
        .header('X-Content-Type-Options', 'nosniff')
        .header('Content-Security-Policy', "default-src 'none'; sandbox")
        .header('Cross-Origin-Resource-Policy', 'same-origin')
        .header('Cache-Control', `${shared}, max-age=86400`)
        .send(picture.bytes);
    },
  );
}
