/** `/`: visitors who are not signed in are sent to the home page of the instance, or for good to the sign-in, as administrators say. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import { noSuchRoute } from '../../../kernel/http/errors.ts';
import type { Settings } from '../../../kernel/settings/index.ts';

export interface HomePageDependencies {
  readonly settings: Pick<Settings, 'read'>;
  readonly credentials: CredentialResolver;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** Answers with the page of the address; false where it is none. */
  readonly page: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

export function mountHomePage(server: FastifyInstance, deps: HomePageDependencies): void {
  server.get('/', async (request, reply) => {
    const { home_page_url: home, root_moved_permanently_redirection_enabled: moved } = await deps.settings.read();
    // The start page itself as the home page would be a circle.
    const elsewhere = home !== null && home.replace(/\/+$/, '') !== deps.externalUrl;
    if ((elsewhere || moved) && !(await authenticate(deps.credentials, request, {}, ['session'])))
      return reply
        .header('Cache-Control', 'no-store')
        .redirect(elsewhere ? home : `${deps.externalUrl}/users/sign_in`, moved ? 301 : 302);
    if (!deps.page(request, reply)) throw noSuchRoute();
    return reply;
  });
}
