/** `/uploads/-/system/KIND/avatar/:id/:file`: pictures of groups, projects and topics, for who sees what they belong to. */
import type { FastifyInstance } from 'fastify';
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import { anonymous, type Caller } from '../../../kernel/authz/subjects.ts';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { formerPictureFile, pictureFile, sendPicture } from '../../../kernel/images/index.ts';
import type { PictureKind, Pictures } from './pictures.ts';

/** A picture that the caller may see. */
interface Shown {
  readonly stored: string | null;
  /** Whether everybody may. */
  readonly open: boolean;
}

export function mountPictures(
  server: FastifyInstance,
  deps: {
    readonly resolver: CredentialResolver;
    readonly parents: ParentLoader;
    readonly pictures: Pictures;
    /** Without a trailing slash. */
    readonly externalUrl: string;
    topicPicture(id: number): Promise<string | null>;
  },
): void {
  const { parents } = deps;
  const kinds: Readonly<Record<PictureKind, (id: string, caller: Caller) => Promise<Shown | null>>> = {
    group: async (id, caller) => {
      const subject = await parents.group(id, caller);
      if (!subject || !canOnGroup(caller, 'read_group', subject)) return null;
      return { stored: subject.group.avatar_object_key, open: subject.group.visibility === 'public' };
    },
    project: async (id, caller) => {
      const subject = await parents.project(id, caller);
      if (!subject || !canOnProject(caller, 'read_project', subject)) return null;
      return { stored: subject.project.avatar_object_key, open: subject.project.visibility === 'public' };
    },
    'projects/topic': async (id) => ({ stored: await deps.topicPicture(Number(id)), open: true }),
  };
  for (const [kind, find] of Object.entries(kinds))
    server.get<{ Params: { id: string; file: string } }>(
      `/uploads/-/system/${kind}/avatar/:id/:file`,
      async (request, reply) => {
        const { id, file } = request.params;
        const found = await authenticate(deps.resolver, request, {}, ['token', 'session']);
        const reads = found?.scopes === null || found?.scopes.has('api') || found?.scopes.has('read_api');
        const shown = /^\d{1,15}$/.test(id) ? await find(id, found && reads ? found : anonymous) : null;
        const stored = shown?.stored ?? null;
        if (stored !== null && formerPictureFile(stored) === file)
          return reply.redirect(
            `${deps.externalUrl}/uploads/-/system/${kind}/avatar/${id}/${pictureFile(stored)}`,
            301,
          );
        const { open = false } = shown ?? {};
        return await sendPicture(request, reply, { file, stored, open, read: deps.pictures.read });
      },
    );
}
