/**
 * Files at the addresses of pages: `/group/project/-/raw/main/a.txt`. Their project has a path of any depth, so that addresses
 * are mapped onto one route. A browser that may not have a file gets the page, which says so inside its frame.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProjectAbility } from '../authz/abilities.ts';
import { anonymous, type Caller, type ProjectSubject } from '../authz/subjects.ts';
import type { RateLimits } from '../rate-limits/index.ts';
import type { LimitName } from '../rate-limits/limits.ts';
import { authenticate, type CredentialResolver, requireScope } from './credentials.ts';
import { asRequest } from './current-request.ts';
import { HttpError, noSuchRoute } from './errors.ts';
import { isFormerPath, loadProject, type ParentLoader } from './parents.ts';
import { type Answer, isStreamed, type Streamed } from './route.ts';
import { sendStream } from './send-stream.ts';

export interface PageFileContext {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  /** Named groups of the pattern, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
}

/** One kind of file. A feature hands those that it has to the composition root. */
export interface PageFile {
  readonly name: string;
  /** Of what follows the project and `/-/`, without the query. */
  readonly pattern: RegExp;
  /** Also directly after the project, without `/-/`. */
  readonly withoutDash?: true;
  readonly ability: ProjectAbility;
  /** A token needs one of these. */
  readonly scopes?: readonly string[];
  readonly rate?: LimitName;
  /** The file, or where it is. */
  handler(context: PageFileContext): Promise<Streamed | Answer>;
}

export interface PageFilesDependencies {
  readonly resolver: CredentialResolver;
  readonly parents: ParentLoader;
  readonly rates: Pick<RateLimits, 'named'>;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** Answers with the document of the pages; false where the client wants none. */
  page(request: FastifyRequest, reply: FastifyReply, status: number): boolean;
}

const prefix = '/-/files';
const reading = ['api', 'read_api'];

/** Decoded, or null for what is not valid: that stays as it is, and is refused where all such addresses are. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

interface Split {
  readonly project: string;
  readonly rest: string;
  readonly dash: boolean;
}

/** What may follow a project directly. */
const withoutDash = ['badges', 'uploads'] as const;

/** Where a path may be split into a project and what follows it. */
function splits(path: string): Split[] {
  const dash = path.indexOf('/-/');
  if (dash >= 0) return [{ project: path.slice(1, dash), rest: path.slice(dash + 3), dash: true }];
  return withoutDash.flatMap((part) => {
    const start = path.indexOf(`/${part}/`);
    return start <= 0 ? [] : [{ project: path.slice(1, start), rest: path.slice(start + 1), dash: false }];
  });
}

export function createPageFiles(files: readonly PageFile[]) {
  const byName = new Map(files.map((file) => [file.name, file]));

  /** Maps the address of a file onto the one route of all of them; others stay as they are. */
  function rewriteUrl(url: string): string {
    if (url.startsWith('/api/') || url.startsWith('/-/')) return url;
    const [path = '/', ...query] = url.split('?');
    for (const { project, rest, dash } of splits(path)) {
      const file = files.find(({ pattern, withoutDash }) => (dash || withoutDash) && pattern.test(rest));
      const name = decoded(project);
      if (!file || name === null || !name.includes('/') || name.startsWith('groups/')) continue;
      const target = `${prefix}/${file.name}/${encodeURIComponent(name)}/${encodeURIComponent(rest)}`;
      return [target, ...query].join('?');
    }
    return url;
  }

  /** The caller, as far as their credential reads: a token without the scope is refused. */
  async function callerOf(file: PageFile, request: FastifyRequest, deps: PageFilesDependencies): Promise<Caller> {
    const query = request.query as Readonly<Record<string, unknown>>;
    const caller = (await authenticate(deps.resolver, request, query, ['token', 'session'])) ?? anonymous;
    requireScope(caller, file.scopes ?? reading);
    return { ...caller, address: request.ip };
  }

  async function serve(
    file: PageFile,
    { project, rest }: { readonly project: string; readonly rest: string },
    request: FastifyRequest,
    reply: FastifyReply,
    deps: PageFilesDependencies,
  ): Promise<FastifyReply> {
    const caller = await callerOf(file, request, deps);
    const subject = await loadProject(deps.parents, project, caller, file.ability);
    const query = request.query as Readonly<Record<string, unknown>>;
    if (isFormerPath(subject, project)) {
      const now = `${subject.namespace.full_path}/${subject.project.path}`;
      const [, search] = request.url.split('?', 2);
      return reply.redirect(`${deps.externalUrl}/${now}/-/${rest}${search === undefined ? '' : `?${search}`}`, 302);
    }
    const groups = Object.entries(file.pattern.exec(rest)?.groups ?? {});
    const params = Object.fromEntries(groups.map(([name, value = '']) => [name, decoded(value) ?? value]));
    const facts = { caller, subject, params, request };
    if (file.rate) await deps.rates.named({ path: file.name, rate: file.rate }, facts, reply);
    const over = new AbortController();
    reply.raw.once('close', () => over.abort());
    const { signal } = over;
    const work = { anonymous: caller.user === null, signal, clientAddress: request.ip };
    return await asRequest(work, async () => {
      const result = await file.handler({ subject, caller, params, query, signal, request });
      if (isStreamed(result)) return await sendStream(request, reply, result);
      return reply
        .code(result.status)
        .headers({ ...result.headers })
        .send();
    });
  }

  function mount(server: FastifyInstance, deps: PageFilesDependencies): void {
    server.route<{ Params: { name: string; project: string; rest: string } }>({
      // HEAD is ours, because the framework's would read a streamed body to its end.
      method: ['GET', 'HEAD'],
      exposeHeadRoute: false,
      url: `${prefix}/:name/:project/:rest`,
      handler: async (request, reply) => {
        const file = byName.get(request.params.name);
        if (!file) throw noSuchRoute();
        reply.header('Cache-Control', 'max-age=0, private, must-revalidate').header('Vary', 'Cookie');
        try {
          return await serve(file, request.params, request, reply, deps);
        } catch (error) {
          const browser = /\btext\/html\b/.test(request.headers.accept ?? '');
          const refused = error instanceof HttpError && [401, 403, 404].includes(error.status);
          if (browser && refused && deps.page(request, reply, error.status)) return reply;
          throw error;
        }
      },
    });
  }

  return { rewriteUrl, mount };
}
