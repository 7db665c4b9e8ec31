/** Endpoints outside the API that pages call before anybody is signed in: one JSON or form body in, one JSON answer out. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import { mergeParameters, readBody } from '../../../kernel/http/params/body.ts';
import { defaultParameterLimits, emptyObject } from '../../../kernel/http/params/nested.ts';
import { validateParameters } from '../../../kernel/http/params/validate.ts';
import { checkOrigin } from '../sessions/index.ts';

export interface Endpoint<P extends TObject> {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly params: P;
  readonly status: number;
  handler(params: Static<P>, request: FastifyRequest): Promise<Readonly<Record<string, unknown>>>;
}

const limits = { ...defaultParameterLimits, maxParameterBytes: 10_000, maxFileBytes: 0, maxFiles: 0 };

/** Only for pages of this instance: another site must not act for its visitors. */
export function mountEndpoint<P extends TObject>(
  server: FastifyInstance,
  externalUrl: string,
  endpoint: Endpoint<P>,
): void {
  server.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      checkOrigin(request, externalUrl);
      const body = await readBody(request.raw, limits, '');
      const merged = mergeParameters(emptyObject(), body, {});
      const params = validateParameters(endpoint.params, merged.tree, merged.json) as Static<P>;
      const answer = await endpoint.handler(params, request);
      return reply
        .code(endpoint.status)
        .header('Content-Type', 'application/json')
        .header('Cache-Control', 'no-store')
        .send(JSON.stringify(answer));
    },
  });
}
