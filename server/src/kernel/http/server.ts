/** The HTTP server: one Fastify instance with our own body handling, one error mapper, 404 and 405, request ids, logging. */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { databaseOutage, isMissingReference } from '../db/errors.ts';
import { ObjectStorageError } from '../objects/errors.ts';
import { compressAnswers } from './compression.ts';
import { answerOtherOrigins } from './cors.ts';
import { closeAfterUnreadBody, drainAfterEarlyAnswers } from './early-answers.ts';
import { HttpError, internalError, methodNotAllowed, noSuchRoute, notFound, unavailable } from './errors.ts';

export interface HttpServerOptions {
  readonly log: FastifyBaseLogger;
  /** Addresses or networks of proxies whose `X-Forwarded-*` headers count. */
  readonly trustedProxies: readonly string[];
  /** Maps a request's URL before routing; transports use it for paths of any depth. */
  readonly rewriteUrl?: (url: string) => string;
  /** Answers what no route does, such as the pages of the web application; false leaves it a 404. */
  readonly fallback?: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

const apiPath = /^\/api(\/|$)/;

/**
 * Slashes too many in a path count once, and not at all at the end of one of the API, as in the ecosystem: clients join
 * addresses carelessly. Not in a DELETE: a name that a script left empty would name what is above it.
 */
function plainSlashes(method: string | undefined, url: string): string {
  if (method === 'DELETE' || !url.startsWith('/')) return url;
  const [path = '', ...query] = url.split('?');
  const single = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  const plain = single.startsWith('/api/v4/') && single.endsWith('/') ? single.slice(0, -1) : single;
  return plain === path ? url : [plain, ...query].join('?');
}

/** A client's own request id is taken over when it is plain, so that logs of both sides meet. */
const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

function failure(error: unknown, request: FastifyRequest): HttpError {
  if (error instanceof HttpError) return error;
  const code = (error as { code?: unknown }).code;
  if (code === 'FST_ERR_BAD_URL') return new HttpError(400, { error: 'the path is not valid percent-encoded UTF-8' });
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new HttpError(415, { error: 'the content type is not supported' });
  const outage = databaseOutage(error);
  if (outage) {
    request.log.error({ err: error }, `database ${outage}`);
    return unavailable(outage === 'unreachable' ? 'the database is not reachable' : 'the database is overloaded');
  }
  // It was there when the handler looked: somebody deleted it in between.
  if (isMissingReference(error)) {
    request.log.warn({ err: error }, 'what the request names was deleted meanwhile');
    return notFound();
  }
  if (error instanceof ObjectStorageError) {
    request.log.error({ err: error }, 'object storage cannot be used');
    return unavailable('the object storage cannot be used');
  }
  if (request.raw.destroyed && !request.raw.complete)
    return new HttpError(400, { message: '400 Bad request - the body ended early' });
  request.log.error({ err: error }, 'request failed');
  return internalError(request.id);
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = failure(error, request);
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  for (const [name, value] of Object.entries(answer.headers)) reply.header(name, value);
  closeAfterUnreadBody(request, reply);
  // What the handler said of the answer that it did not give.
  for (const name of ['Link', 'ETag', 'Content-Length', 'Content-Disposition']) reply.removeHeader(name);
  void reply
    .code(answer.status)
    .header('Content-Type', answer.text === null ? 'application/json' : 'text/plain')
    .send(answer.text ?? JSON.stringify(answer.body));
}

/** Creates the server without routes; features and transports mount on it before it listens. */
export function createHttpServer(
  options: HttpServerOptions,
  pathMethods: (path: string) => readonly string[],
): FastifyInstance {
  const server = Fastify({
    loggerInstance: options.log,
    logController: new Fastify.LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    frameworkErrors: (error, request, reply) => sendError(error, request as FastifyRequest, reply as FastifyReply),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
    },
    bodyLimit: Number.MAX_SAFE_INTEGER,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 75_000,
    requestTimeout: 0,
    rewriteUrl: ({ method, url = '/' }) => {
      const plain = plainSlashes(method, url);
      return options.rewriteUrl?.(plain) ?? plain;
    },
    routerOptions: { maxParamLength: 8192, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: true,
  });
  const earlyAnswers = drainAfterEarlyAnswers(server.server);
  server.addHook('preClose', async () => earlyAnswers.close());
  // Bodies are read by the routes themselves, after authentication; here every type passes as it is.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  server.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id);
    reply.header('X-Content-Type-Options', 'nosniff');
    reply.header('Referrer-Policy', 'no-referrer');
    if (apiPath.test(request.url))
      reply.header('Cache-Control', 'max-age=0, private, must-revalidate').header('Vary', 'Origin');
  });
  answerOtherOrigins(server);
  // Clients compare the type exactly; the framework appends a charset that JSON does not have.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8')
      reply.header('Content-Type', 'application/json');
    done(null, payload);
  });
  compressAnswers(server);
  server.setNotFoundHandler((request, reply) => {
    if (options.fallback?.(request, reply)) return;
    const allow = pathMethods(request.url.split('?', 1)[0] ?? '/').filter((method) => method !== request.method);
    sendError(allow.length > 0 ? methodNotAllowed(allow) : noSuchRoute(), request, reply);
  });
  return server;
}
