/**
 * Git LFS over HTTP, below `/<full/path>.git`: objects that a repository only points at. Who may is decided where it is
 * decided for git; everything is streamed.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { plainError } from '../../kernel/http/errors.ts';
import { duringMaintenance } from '../../kernel/http/maintenance.ts';
import { type BodyLimits, readBody } from '../../kernel/http/params/body.ts';
import { decoded } from '../git/requests.ts';
import { lfsMedia, missing, refuse } from './answers.ts';
import { type LfsCallersDependencies, lfsCallers } from './callers.ts';
import { type LfsLockDependencies, lfsLockHandlers } from './locks.ts';
import { type Handler, type LfsObjectsDependencies, lfsObjectHandlers } from './objects.ts';

export interface LfsDependencies
  extends LfsCallersDependencies,
    Pick<LfsObjectsDependencies, 'store' | 'objects' | 'externalUrl'>,
    Pick<LfsLockDependencies, 'locks'> {
  readonly limits: BodyLimits & LfsObjectsDependencies['limits'];
  /** Directory for bodies in flight. */
  readonly temporary: string;
}

const internal = '/-/lfs';
const lfsPath = /^\/(.+?)\.git\/(info\/lfs|gitlab-lfs)(\/.*)$/;

/** Maps the paths of LFS, below repositories of any depth, onto routes; everything else stays as it is. */
export function rewriteLfsUrl(url: string): string {
  const [path = '/', query] = url.split('?', 2) as [string, string | undefined];
  // What the routes below are called inside: nobody asks for them by these names.
  if (/^\/-\/lfs\//.test(decoded(path))) return '/api/-';
  const match = /^\/(api|-|assets)\//.test(path) ? null : lfsPath.exec(path);
  if (!match) return url;
  const kind = match[2] === 'info/lfs' ? 'info' : 'storage';
  const repository = encodeURIComponent(decoded(match[1] ?? ''));
  return `${internal}/${repository}/${kind}${match[3]}${query === undefined ? '' : `?${query}`}`;
}

/** Whether a header allows the media of LFS, which is JSON. */
const accepts = (header: string | undefined): boolean =>
  header === undefined || /(^|[\s,])(\*\/\*|application\/(\*|json|vnd\.git-lfs\+json))\s*($|[,;])/i.test(header);
const isJson = (type: string | undefined): boolean => /^application\/([\w.-]+\+)?json\s*($|;)/i.test(type ?? '');

export function gitLfs(deps: LfsDependencies): { mount(server: FastifyInstance): void } {
  const callers = lfsCallers(deps);
  const documentation = `${deps.externalUrl}/api/docs`;

  async function readJson(request: FastifyRequest): Promise<Readonly<Record<string, unknown>>> {
    if (!isJson(request.headers['content-type'])) throw plainError(415, `The body must be ${lfsMedia}.`);
    return (await readBody(request.raw, deps.limits, deps.temporary)).tree;
  }
  const objects = lfsObjectHandlers({ ...deps, callers, readJson });
  const locks = lfsLockHandlers({ ...deps, callers, readJson, documentation });

  const answered =
    (handler: Handler): Handler =>
    async (request, reply) => {
      try {
        return await handler(request, reply);
      } catch (error) {
        return refuse(request, reply, error, documentation);
      }
    };
  /** Answers JSON: whoever does not want that is told so first. */
  const speaking = (handler: Handler): Handler =>
    answered(async (request, reply) => {
      if (!accepts(request.headers.accept)) throw plainError(406, `The answer is ${lfsMedia}: accept that.`);
      return await handler(request, reply);
    });
  const old: Handler = async () => {
    throw plainError(501, 'Only the batch requests of Git LFS are answered: please use a current git-lfs.');
  };
  const nothing: Handler = async (_request: FastifyRequest, _reply: FastifyReply) => {
    throw missing();
  };

  return {
    mount(server) {
      const at = `${internal}/:repository`;
      // Who may write is asked where git is authorised, which knows of maintenance.
      server.post(`${at}/info/objects/batch`, duringMaintenance, speaking(objects.batch));
      server.post(`${at}/info/verify`, duringMaintenance, speaking(objects.verify));
      server.post(`${at}/info/locks`, duringMaintenance, speaking(locks.create));
      server.get(`${at}/info/locks`, speaking(locks.list));
      server.post(`${at}/info/locks/verify`, duringMaintenance, speaking(locks.verify));
      server.post(`${at}/info/locks/:id/unlock`, duringMaintenance, speaking(locks.unlock));
      server.put(`${at}/storage/objects/:oid/:size`, duringMaintenance, answered(objects.upload));
      server.route({
        method: ['GET', 'HEAD'],
        exposeHeadRoute: false,
        url: `${at}/storage/objects/:oid`,
        handler: answered(objects.download),
      });
      server.post(`${at}/info/objects`, duringMaintenance, answered(old));
      server.get(`${at}/info/objects/:oid`, answered(old));
      server.all(`${at}/*`, answered(nothing));
    },
  };
}
