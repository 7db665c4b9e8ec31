/**
 * git over smart HTTP: advertisement, fetch and push below `/<full/path>.git`. Authenticates and authorises before
 * anything is started; everything is streamed.
 */
import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { canOnProject } from '../../kernel/authz/can.ts';
import { anonymous, type Caller, type ProjectSubject } from '../../kernel/authz/subjects.ts';
import { asRequest } from '../../kernel/http/current-request.ts';
import { HttpError, plainText as plain } from '../../kernel/http/errors.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { RateLimits } from '../../kernel/rate-limits/index.ts';

export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** The repository side, implemented by the repository feature. */
export interface GitTransport {
  /** The advertisement without its service header, for a protocol version (0, 1 or 2). */
  advertise(subject: ProjectSubject, service: GitService, version: number, signal: AbortSignal): Promise<Readable>;
  /** One stateless round of a fetch. */
  uploadPack(subject: ProjectSubject, body: Readable, version: number, signal: AbortSignal): Promise<Readable>;
  /** A push: reads commands and pack, applies policy, moves refs, answers the report. */
  receivePack(subject: ProjectSubject, caller: Caller, body: Readable, signal: AbortSignal): Promise<Readable>;
}

export interface GitHttpDependencies {
  readonly parents: ParentLoader;
  readonly transport: GitTransport;
  readonly authenticate: (username: string, password: string, clientAddress: string) => Promise<Caller | null>;
  readonly rates: Pick<RateLimits, 'identified'>;
  /** Whether people may use git over HTTP here; jobs always may. */
  readonly allowed: () => Promise<boolean>;
  readonly scopesAllow: (caller: Caller, access: 'read' | 'write') => boolean;
  readonly externalUrl: string;
}

const gitPath = /^\/(.+?)(\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;
const dumbPath = /^\/.+\.git\/(HEAD|objects\/.*)$/;
const internal = '/-/git';

/** Maps the paths of repositories, of any depth, onto routes; everything else stays as it is. */
export function rewriteGitUrl(url: string): string {
  const [path = '/', query] = url.split('?', 2) as [string, string | undefined];
  if (path.startsWith('/api/') || path.startsWith('/-/')) return url;
  const match = gitPath.exec(path);
  if (match)
    return `${internal}/${encodeURIComponent(decode(match[1] ?? ''))}/${match[2] ? 'git' : 'bare'}/${match[3]}${query === undefined ? '' : `?${query}`}`;
  if (dumbPath.test(path)) return `${internal}-dumb`;
  return url;
}

const decode = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function basic(request: FastifyRequest): { username: string; password: string } | null {
  const match = /^basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '');
  if (!match?.[1]) return null;
  const text = Buffer.from(match[1], 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

const askForPassword = () =>
  plain(401, 'HTTP Basic: Access denied. Use a user name with a personal access token as the password.\n', {
    'WWW-Authenticate': 'Basic realm="Millrace"',
  });
const missing = () =>
  plain(404, 'The project you were looking for could not be found or you do not have permission to view it.\n');

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

/** The request's body, unpacked when the client packed it. */
function bodyOf(request: IncomingMessage, encoding: string | undefined): Readable {
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return request;
  const unpacked = createGunzip();
  pipeline(request, unpacked, () => undefined);
  return unpacked;
}

export function gitHttp(deps: GitHttpDependencies): { mount(server: FastifyInstance): void } {
  async function callerOf(request: FastifyRequest): Promise<Caller | null> {
    const given = basic(request);
    if (!given) return null;
    const found = await deps.authenticate(given.username, given.password, request.ip);
    if (!found) throw askForPassword();
    return found;
  }

  /** The project and caller of a request, authorised for the service. */
  async function open(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    service: GitService,
  ): Promise<{ subject: ProjectSubject; caller: Caller }> {
    const known = (await deps.rates.identified(request, reply, 'git_http', () => callerOf(request))) ?? anonymous;
    const caller = { ...known, address: request.ip };
    if (caller.credential.kind !== 'job' && !(await deps.allowed()))
      throw plain(403, 'Git access over HTTP is not allowed\n');
    const subject = await deps.parents.project(path, caller);
    if (!subject || !canOnProject(caller, 'read_project', subject))
      throw caller.credential.kind === 'none' ? askForPassword() : missing();
    const access = service === 'git-upload-pack' ? 'read' : 'write';
    if (access === 'write' && caller.credential.kind === 'none') throw askForPassword();
    if (!deps.scopesAllow(caller, access)) throw plain(403, `The token needs the scope ${access}_repository.\n`);
    if (!canOnProject(caller, access === 'read' ? 'read_code' : 'push_code', subject)) {
      // The job's own project is always readable to it: it fetches what it runs.
      const own =
        access === 'read' &&
        caller.credential.kind === 'job' &&
        caller.credential.job.project_id === subject.project.id;
      if (!own) {
        if (caller.credential.kind === 'none') throw askForPassword();
        throw plain(
          403,
          access === 'read'
            ? 'You are not allowed to download code from this project.\n'
            : 'You are not allowed to push code to this project.\n',
        );
      }
    }
    if (access === 'write' && caller.credential.kind === 'job') throw plain(403, 'A job token cannot push.\n');
    return { subject, caller };
  }

  const workOf = (caller: Caller, service: GitService, signal: AbortSignal) => ({
    anonymous: caller.user === null,
    signal: service === 'git-upload-pack' ? signal : null,
  });

  const aborted = (reply: FastifyReply): AbortSignal => {
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort());
    return controller.signal;
  };

  async function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
    if (!request.raw.complete) request.raw.resume();
    // Z_DATA_ERROR, Z_BUF_ERROR: the body is not what its Content-Encoding says.
    if (String((error as { code?: unknown }).code).startsWith('Z_'))
      return reply.code(400).type('text/plain; charset=utf-8').send('The body is not valid gzip.\n');
    if (error instanceof HttpError)
      return reply
        .code(error.status)
        .headers(error.headers)
        .type('text/plain; charset=utf-8')
        .send(`${error.message}\n`);
    throw error;
  }

  const pathOf = (request: FastifyRequest) => (request.params as { repository: string }).repository;

  async function advertisement(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      const service = (request.query as { service?: unknown }).service;
      if (service !== 'git-upload-pack' && service !== 'git-receive-pack')
        throw plain(403, 'The dumb HTTP protocol is not supported: please use a current git.\n');
      const { subject, caller } = await open(request, reply, pathOf(request), service);
      const version = protocolVersion(request);
      const signal = aborted(reply);
      const stream = await asRequest(workOf(caller, service, signal), () =>
        deps.transport.advertise(subject, service, version, signal),
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
    try {
      const { subject, caller } = await open(request, reply, pathOf(request), service);
      const signal = aborted(reply);
      const body = bodyOf(request.raw, request.headers['content-encoding']);
      const stream = await asRequest(workOf(caller, service, signal), () =>
        service === 'git-upload-pack'
          ? deps.transport.uploadPack(subject, body, protocolVersion(request), signal)
          : deps.transport.receivePack(subject, caller, body, signal),
      );
      for (const [name, value] of Object.entries(noCache)) reply.header(name, value);
      return reply.type(`application/x-${service}-result`).send(stream);
    } catch (error) {
      return refuse(request, reply, error);
    }
  }

  return {
    mount(server) {
      server.get(`${internal}/:repository/git/info/refs`, advertisement);
      server.post(`${internal}/:repository/git/git-upload-pack`, (request, reply) =>
        exchange(request, reply, 'git-upload-pack'),
      );
      server.post(`${internal}/:repository/git/git-receive-pack`, (request, reply) =>
        exchange(request, reply, 'git-receive-pack'),
      );
      // Without `.git` git follows a redirect to the name that has it.
      server.get(`${internal}/:repository/bare/info/refs`, (request, reply) => {
        const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
        const path = pathOf(request).split('/').map(encodeURIComponent).join('/');
        return reply.redirect(`${deps.externalUrl}/${path}.git/info/refs${query}`, 301);
      });
      server.get(`${internal}-dumb`, (request, reply) =>
        refuse(request, reply, plain(403, 'The dumb HTTP protocol is not supported: please use a current git.\n')),
      );
    },
  };
}

/** A stream with text before it. */
async function* withPrefix(text: string, stream: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
  for await (const chunk of stream) yield chunk as Buffer;
}
const prefixed = (text: string, stream: Readable) => Readable.from(withPrefix(text, stream));
