/**
 * git over smart HTTP: advertisement, fetch and push below `/<full/path>.git`. Authenticates and authorises before
 * anything is started; everything is streamed.
 */
import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { anonymous, type Caller } from '../../kernel/authz/subjects.ts';
import { asRequest } from '../../kernel/http/current-request.ts';
import { closeAfterUnreadBody } from '../../kernel/http/early-answers.ts';
import { HttpError, plainText as plain } from '../../kernel/http/errors.ts';
import { duringMaintenance } from '../../kernel/http/maintenance.ts';
import { plainBody, type UnpackLimits, unpackedBody } from '../../kernel/http/unpack.ts';
import type { RateLimits } from '../../kernel/rate-limits/index.ts';
import type { GitRefusal, GitTarget, OpenGit } from '../git/access.ts';
import { basicCredentials, decoded } from '../git/requests.ts';
import type { GitService } from '../git/transports.ts';

export interface GitHttpDependencies {
  readonly open: OpenGit;
  readonly authenticate: (username: string, password: string, clientAddress: string) => Promise<Caller | null>;
  readonly rates: Pick<RateLimits, 'identified'>;
  readonly externalUrl: string;
  /** Seconds in which a request may neither receive nor send a byte. */
  readonly stallSeconds: number;
  readonly limits: UnpackLimits;
}

const gitPath = /^\/(.+?)(\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;
const dumbPath = /^\/.+\.git\/(HEAD|objects\/.*)$/;
/** The clone address itself, as people open it in a browser. */
const pagePath = /^\/(.+)\.git\/?$/;
const internal = '/-/git';
/** What the routes below are called inside: nobody asks for them by these names. */
const internalPath = /^\/-\/git(-dumb$|-page\/|\/)/;

/** Maps the paths of repositories, of any depth, onto routes; everything else stays as it is. */
export function rewriteGitUrl(url: string): string {
  const [path = '/', query] = url.split('?', 2) as [string, string | undefined];
  // No part of the API: 404, and no page either.
  if (internalPath.test(decoded(path))) return '/api/-';
  if (/^\/(api|-|assets)\//.test(path) || path.includes('/-/')) return url;
  const match = gitPath.exec(path);
  if (match)
    return `${internal}/${encodeURIComponent(decoded(match[1] ?? ''))}/${match[2] ? 'git' : 'bare'}/${match[3]}${query === undefined ? '' : `?${query}`}`;
  if (dumbPath.test(path)) return `${internal}-dumb`;
  const page = pagePath.exec(path);
  if (page) return `${internal}-page/${encodeURIComponent(decoded(page[1] ?? ''))}`;
  return url;
}

const askForPassword = () =>
  plain(
    401,
    'HTTP Basic: Access denied. A password that was given is wrong, or this account or instance takes access tokens in\n' +
      'its place (accounts with two-factor authentication do). A token that was given is wrong, expired or revoked.\n',
    { 'WWW-Authenticate': 'Basic realm="Millrace"' },
  );

const dumbRefused = () =>
  plain(403, 'The dumb HTTP protocol is not supported: please use a current git, which speaks the smart one.\n');
const wrongMethod = (allowed: string) =>
  plain(405, `This address takes ${allowed} requests of git only.\n`, { Allow: allowed });
const statuses: Partial<Record<GitRefusal['refusal'], number>> = { missing: 404, empty: 404, unmade: 422 };
const otherMethods = ['DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'];

function protocolVersion(request: FastifyRequest): number {
  const header = request.headers['git-protocol'];
  const match = /(?:^|:)version=([012])(?:$|:)/.exec(typeof header === 'string' ? header : '');
  return match ? Number(match[1]) : 0;
}

const noCache = {
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
};

/** The request's body, unpacked when the client packed it. Throws 415 where it is packed in another way. */
function bodyOf(request: IncomingMessage, limits: UnpackLimits): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return plainBody(request);
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw plain(415, `The content encoding ${JSON.stringify(encoding)} is not supported: use gzip or none.\n`);
  return unpackedBody(request, limits);
}

/** What a client is told about a failure; null for faults of ours. */
function refusalOf(error: unknown): HttpError | null {
  // Z_DATA_ERROR, Z_BUF_ERROR: the body is not what its Content-Encoding says.
  if (String((error as { code?: unknown }).code).startsWith('Z_')) return plain(400, 'The body is not valid gzip.\n');
  return error instanceof HttpError ? plain(error.status, `${error.message}\n`, error.headers) : null;
}

/** What fails before its first byte, such as a body that goes over its limits, is told as text like any other refusal. */
function refusable(stream: Readable): Readable {
  const told = new PassThrough();
  stream.once('error', (error) => {
    told.destroy(refusalOf(error) ?? refusalOf(error.cause ?? {}) ?? error);
  });
  // Whoever goes away first takes the other along.
  told.once('close', () => stream.destroy());
  stream.once('close', () => !stream.readableEnded && !stream.errored && told.destroy());
  return stream.pipe(told);
}

export function gitHttp(deps: GitHttpDependencies): { mount(server: FastifyInstance): void } {
  async function callerOf(request: FastifyRequest): Promise<Caller | null> {
    const given = basicCredentials(request);
    if (!given) return null;
    const found = await deps.authenticate(given.username, given.password, request.ip);
    if (!found) throw askForPassword();
    return found;
  }

  /** The repository and caller of a request, authorised for the service. */
  async function open(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    service: GitService,
    first: 'first' | null = null,
  ): Promise<GitTarget> {
    const known = (await deps.rates.identified(request, reply, 'git_http', () => callerOf(request))) ?? anonymous;
    const access = service === 'git-upload-pack' ? 'read' : 'write';
    const found = await deps.open(path, { ...known, address: request.ip }, access, 'http', first);
    if (found.refusal === null) {
      if (access === 'write' && known.credential.kind === 'none') throw askForPassword();
      return found;
    }
    const signingInHelps =
      known.credential.kind === 'none' && found.refusal !== 'protocol' && found.refusal !== 'empty';
    if (signingInHelps) throw askForPassword();
    throw plain(statuses[found.refusal] ?? 403, `${found.text}\n`);
  }

  const workOf = (caller: Caller, service: GitService, signal: AbortSignal) => ({
    // Deploy tokens and keys are no user's, but their holder is known.
    anonymous: caller.credential.kind === 'none',
    signal: service === 'git-upload-pack' ? signal : null,
  });

  const aborted = (reply: FastifyReply): AbortSignal => {
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort());
    return controller.signal;
  };

  async function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
    closeAfterUnreadBody(request, reply);
    const refusal = refusalOf(error);
    if (refusal)
      return reply
        .code(refusal.status)
        .headers(refusal.headers)
        .type('text/plain; charset=utf-8')
        .send(`${refusal.message}\n`);
    throw error;
  }

  const pathOf = (request: FastifyRequest) => (request.params as { repository: string }).repository;

  const cloneUrl = (path: string) => `${deps.externalUrl}/${path.split('/').map(encodeURIComponent).join('/')}.git`;

  /** Nothing that moves for so long is worth a place: who hangs in the middle, or reads no more, is cut off. */
  const boundStalls = (request: FastifyRequest) => request.raw.socket.setTimeout(deps.stallSeconds * 1000);

  async function advertisement(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      boundStalls(request);
      const service = (request.query as { service?: unknown }).service;
      if (service === undefined) throw dumbRefused();
      if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
        throw plain(403, 'Fetches and pushes only are served over HTTP; archives come from the API or over SSH.\n');
      const { repository, caller, moved, fullPath } = await open(request, reply, pathOf(request), service, 'first');
      // git asks everything else below the address that it was sent to, and tells its user.
      if (moved) {
        const now = cloneUrl(fullPath);
        return reply
          .code(301)
          .header('Location', `${now}/info/refs?service=${service}`)
          .type('text/plain; charset=utf-8')
          .send(`The project has moved. Tell git its new address: git remote set-url origin ${now}\n`);
      }
      const version = protocolVersion(request);
      const signal = aborted(reply);
      const stream = await asRequest(workOf(caller, service, signal), () =>
        repository.advertise(service, version, signal),
      );
      for (const [name, value] of Object.entries(noCache)) reply.header(name, value);
      const line = `# service=${service}\n`;
      const header = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
      return reply.type(`application/x-${service}-advertisement`).send(prefixed(header, stream));
    } catch (error) {
      return refuse(request, reply, error);
    }
  }

  async function exchange(request: FastifyRequest, reply: FastifyReply, service: GitService): Promise<FastifyReply> {
    let body: Readable | null = null;
    try {
      boundStalls(request);
      const { repository, caller } = await open(request, reply, pathOf(request), service);
      const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (type !== `application/x-${service}-request`)
        throw plain(415, `The content type must be application/x-${service}-request.\n`);
      const signal = aborted(reply);
      const sent = bodyOf(request.raw, deps.limits);
      body = sent;
      // What was not read of it does not stay in front of the next request.
      reply.raw.once('close', () => sent.destroy());
      const stream = await asRequest(workOf(caller, service, signal), () =>
        service === 'git-upload-pack'
          ? repository.uploadPack(sent, protocolVersion(request), signal)
          : repository.receivePack(sent, signal),
      );
      for (const [name, value] of Object.entries(noCache)) reply.header(name, value);
      return reply.type(`application/x-${service}-result`).send(refusable(stream));
    } catch (error) {
      body?.destroy();
      return refuse(request, reply, error);
    }
  }

  return {
    mount(server) {
      const repository = `${internal}/:repository`;
      const only = (path: string, allowed: string, methods: string[]) =>
        server.route({
          method: methods,
          url: path,
          handler: (request, reply) => refuse(request, reply, wrongMethod(allowed)),
        });
      // HEAD of an advertisement would cost as much as GET: nobody asks for it.
      server.get(`${repository}/git/info/refs`, { exposeHeadRoute: false }, advertisement);
      only(`${repository}/git/info/refs`, 'GET', ['POST', ...otherMethods]);
      for (const service of ['git-upload-pack', 'git-receive-pack'] as const) {
        server.post(`${repository}/git/${service}`, duringMaintenance, (request, reply) =>
          exchange(request, reply, service),
        );
        only(`${repository}/git/${service}`, 'POST', ['GET', ...otherMethods]);
      }
      // Without `.git` git follows a redirect to the name that has it.
      server.get(`${repository}/bare/info/refs`, (request, reply) => {
        const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
        return reply.redirect(`${cloneUrl(pathOf(request))}/info/refs${query}`, 301);
      });
      server.route({
        method: ['GET', 'POST', ...otherMethods],
        url: `${internal}-dumb`,
        handler: (request, reply) => refuse(request, reply, dumbRefused()),
      });
      // A person who opens the clone address wants to see the project; whether they may is for its page to say.
      server.get(`${internal}-page/:repository`, (request, reply) => {
        if (/^git\//i.test(request.headers['user-agent'] ?? '')) return refuse(request, reply, dumbRefused());
        const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');
        const [, place = '', snippet] = /^(.*?)\/?snippets\/(\d+)$/.exec(pathOf(request)) ?? [];
        const [project = '', wiki] = pathOf(request).split(/(\.wiki)$/);
        const page = snippet
          ? `${place === '' ? '' : `${encoded(place)}/`}-/snippets/${snippet}`
          : `${encoded(project)}${wiki ? '/-/wikis/home' : ''}`;
        return reply.redirect(`${deps.externalUrl}/${page}`, 302);
      });
    },
  };
}

/** A stream with text before it. */
async function* withPrefix(text: string, stream: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
  for await (const chunk of stream) yield chunk as Buffer;
}
const prefixed = (text: string, stream: Readable) => Readable.from(withPrefix(text, stream));
