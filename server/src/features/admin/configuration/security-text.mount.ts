/** `/.well-known/security.txt`: whom to tell about vulnerabilities (RFC 9116), as administrators wrote it. */
import type { FastifyInstance } from 'fastify';
import { noSuchRoute } from '../../../kernel/http/errors.ts';
import { duringMaintenance } from '../../../kernel/http/maintenance.ts';
import type { Settings } from '../../../kernel/settings/index.ts';

export function mountSecurityText(server: FastifyInstance, settings: Pick<Settings, 'read'>): void {
  server.route({
    method: 'GET',
    url: '/.well-known/security.txt',
    ...duringMaintenance,
    handler: async (_request, reply) => {
      const { security_txt_content: content } = await settings.read();
      if (content === null) throw noSuchRoute();
      return reply.header('Cache-Control', 'no-cache').type('text/plain; charset=utf-8').send(content);
    },
  });
}
