/**
 * The API answers pages of any origin, without credentials: a browser sends no cookie of ours along and shows the answer
 * to a page only where no credentials were asked for. What a page may do is what the token that it sends may do.
 */
import type { FastifyInstance } from 'fastify';
import { headerPrefix } from '../names.ts';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** What scripts may read besides the headers that they always may. */
const exposed = [
  ...['ETag', 'Link', 'Location', 'Retry-After', 'Content-Disposition', 'Deprecation', 'X-Request-Id'],
  ...['X-Total', 'X-Total-Pages', 'X-Per-Page', 'X-Page', 'X-Next-Page', 'X-Prev-Page'],
  ...['RateLimit-Limit', 'RateLimit-Observed', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Name'],
  ...[
    'Blob-Id',
    'Commit-Id',
    'Content-Sha256',
    'Encoding',
    'File-Name',
    'File-Path',
    'Last-Commit-Id',
    'Ref',
    'Size',
  ].map((name) => `${headerPrefix}${name}`),
].join(', ');
const preflightSeconds = 7200;
/** Names of headers: nothing else is repeated to whoever asks. */
const headerNames = /^[\w!#$%&'*+.^`|~ \t,-]{1,4096}$/;

const apiPath = /^\/api\//;

export function answerOtherOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    if (request.headers.origin === undefined || !apiPath.test(request.url)) return;
    reply.header('Access-Control-Allow-Origin', '*').header('Access-Control-Expose-Headers', exposed);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return;
    const wanted = request.headers['access-control-request-headers'];
    if (wanted !== undefined && headerNames.test(wanted)) reply.header('Access-Control-Allow-Headers', wanted);
    await reply
      .code(200)
      .header('Access-Control-Allow-Methods', methods)
      .header('Access-Control-Max-Age', String(preflightSeconds))
      .send();
  });
}
