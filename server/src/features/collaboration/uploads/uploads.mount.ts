/** `/-/project/:id/uploads/:secret/:file` and the same of groups: uploads as browsers ask for them, for who sees the place. */
import type { FastifyInstance } from 'fastify';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import { anonymous, type Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import { noSuchRoute } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { Place } from '../../namespaces/index.ts';
import { headersOf, isPicture } from './files.ts';
import { uploadAt } from './uploads.routes.ts';

/** A place, and whether the caller sees all its files or only pictures whose address they know. */
interface Seen {
  readonly place: Place;
  readonly files: 'all' | 'pictures';
}

export function mountUploads(
  server: FastifyInstance,
  deps: {
    readonly db: Db;
    readonly resolver: CredentialResolver;
    readonly parents: ParentLoader;
    readonly objects: Pick<ObjectStore, 'get' | 'exists'>;
  },
): void {
  const { db, objects, parents } = deps;
  const kinds: Readonly<Record<Place['kind'], (id: string, caller: Caller) => Promise<Seen | null>>> = {
    project: async (id, caller) => {
      const place = await parents.project(id, caller);
      if (!place) return null;
      if (canOnProject(caller, 'read_upload', place)) return { place, files: 'all' };
      return place.project.enforce_auth_checks_on_uploads ? null : { place, files: 'pictures' };
    },
    group: async (id, caller) => {
      const place = await parents.group(id, caller);
      return place && canOnGroup(caller, 'read_group_upload', place) ? { place, files: 'all' } : null;
    },
  };
  for (const [kind, find] of Object.entries(kinds))
    server.get<{ Params: { id: string; secret: string; file: string } }>(
      `/-/${kind}/:id/uploads/:secret/:file`,
      async (request, reply) => {
        const { id, secret, file } = request.params;
        const found = await authenticate(deps.resolver, request, {}, ['token', 'session']);
        const reads = found?.scopes === null || found?.scopes.has('api') || found?.scopes.has('read_api');
        const caller = { ...(found && reads ? found : anonymous), address: request.ip };
        const seen = /^\d{1,15}$/.test(id) ? await find(id, caller) : null;
        const upload = seen ? await uploadAt(db, seen.place, { secret, filename: file }) : undefined;
        if (!seen || !upload || (seen.files === 'pictures' && !isPicture(file))) throw noSuchRoute();
        if (!(await objects.exists(upload.object_key))) throw noSuchRoute();
        const { type, headers } = headersOf(upload);
        return reply
          .headers(headers)
          .header('Content-Type', type)
          .header('Cache-Control', 'private, max-age=300')
          .send(objects.get(upload.object_key));
      },
    );
}
