/** The API has one version; the one before it says so, as clients of the ecosystem know it. All others are not there. */
import type { FastifyInstance } from 'fastify';
import { HttpError } from './errors.ts';

/** Mounts the answer of the version that is gone. */
export function mountVersions(server: FastifyInstance): void {
  server.all('/api/v3/*', async () => {
    throw new HttpError(410, { error: 'API V3 is no longer supported. Use API V4 instead.' });
  });
}
