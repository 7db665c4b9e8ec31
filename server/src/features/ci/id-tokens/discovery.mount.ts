/** Where others find out how to check ID tokens: the OpenID Connect discovery document and the keys. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { duringMaintenance } from '../../../kernel/http/maintenance.ts';
import type { SigningKeys } from './keys.ts';

const maxAge = 'public, max-age=300';

export function mountDiscovery(server: FastifyInstance, externalUrl: string, keys: SigningKeys): void {
  const document = {
    issuer: externalUrl,
    authorization_endpoint: `${externalUrl}/oauth/authorize`,
    token_endpoint: `${externalUrl}/oauth/token`,
    userinfo_endpoint: `${externalUrl}/oauth/userinfo`,
    jwks_uri: `${externalUrl}/oauth/discovery/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const endpoint = (url: string, answer: () => Promise<object>) => {
    const allowed = (reply: FastifyReply) => reply.header('Access-Control-Allow-Origin', '*');
    server.route({
      method: 'GET',
      url,
      ...duringMaintenance,
      handler: async (_request, reply) => {
        allowed(reply).header('Cache-Control', maxAge).type('application/json');
        return JSON.stringify(await answer());
      },
    });
    server.options(url, (_request, reply) => allowed(reply).code(204).send());
  };
  endpoint('/.well-known/openid-configuration', async () => document);
  endpoint('/oauth/discovery/keys', async () => ({ keys: await keys.published() }));
}
