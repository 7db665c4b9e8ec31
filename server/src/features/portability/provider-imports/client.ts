/** Lists and objects of another server's API: page by page, with several tokens, and patient where it asks for patience. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outbound, OutboundAnswer } from '../../../kernel/outbound/index.ts';
import { type Row, record } from '../project-archives/json.ts';

/** Why the other server gives nothing, in the words of the import. */
export class ProviderError extends Error {
  readonly kind: 'unauthorized' | 'missing' | 'limited' | 'unreachable' | 'refused';
  constructor(kind: ProviderError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface ProviderClient {
  /** One object. */
  get(path: string): Promise<Row>;
  /** All objects of a list, a page at a time. */
  pages(path: string): AsyncGenerator<readonly Row[]>;
}

export interface ClientOptions {
  readonly outbound: Pick<Outbound, 'send'>;
  /** Without a trailing slash. */
  readonly base: string;
  /** Values of `Authorization`, each of an account with a limit of its own. */
  readonly credentials: readonly string[];
  readonly accept: string;
  /** The address of the page behind this one; null behind the last. */
  next(answer: {
    readonly headers: OutboundAnswer['headers'];
    readonly body: unknown;
    readonly url: string;
  }): string | null;
  /** The objects of a page; a list without it. */
  rows?(body: unknown): readonly unknown[];
  /** Waits until the other server serves again; somebody who waits for an answer gets an error instead. */
  readonly waits: boolean;
  readonly signal?: AbortSignal;
}

const maximumBytes = 32 * 1024 * 1024;
/** Requests that fail without a reason are repeated after so many milliseconds. */
const retries = [200, 1_000, 5_000];
/** Pages of one list: a server that always names another one is broken. */
const mostPages = 100_000;
const longestWait = 3_600_000;

/** Milliseconds until the other server serves the account again; null where it does not refuse for its limit. */
export function waitOf(
  { status, headers, body }: Pick<OutboundAnswer, 'status' | 'headers' | 'body'>,
  now: number,
): number | null {
  const { 'retry-after': after, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers;
  const exhausted = remaining === '0';
  // A second limit, of requests in a short time, is told by words alone.
  const told = () => /rate limit|abuse detection/i.test(body.subarray(0, 2_000).toString('utf8'));
  if (status !== 429 && !(status === 403 && (exhausted || after !== undefined || told()))) return null;
  if (after !== undefined) {
    const wait = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - now;
    if (Number.isFinite(wait)) return Math.max(wait, 0);
  }
  const until = Number(reset) * 1000;
  // Where requests are left, the time says when there are more of them, not when this one is served.
  return (exhausted || status === 429) && Number.isFinite(until) && until > 0 ? Math.max(until - now, 0) : 60_000;
}

/** Undefined where an answer was cut off, or a proxy answered with a page of its own. */
function parsed({ body }: OutboundAnswer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function providerClient(options: ClientOptions): ProviderClient {
  const { outbound, base, credentials, accept, waits, signal } = options;
  /** When the limit of each account ends. */
  const until = credentials.map(() => 0);
  let turn = 0;

  /** The next account that is served, in turn; waits for the first one where none is. */
  async function account(): Promise<number> {
    const now = Date.now();
    for (let tried = 0; tried < credentials.length; tried += 1) {
      turn = (turn + 1) % credentials.length;
      if ((until[turn] ?? 0) <= now) return turn;
    }
    const soonest = until.indexOf(Math.min(...until));
    if (!waits) throw new ProviderError('limited', 'Too Many Requests');
    await sleep(Math.min((until[soonest] ?? now) - now, longestWait), undefined, signal ? { signal } : {});
    return soonest;
  }

  async function ask(url: string): Promise<{ readonly answer: OutboundAnswer; readonly body: unknown }> {
    for (let failed = 0; ; ) {
      const which = await account();
      const answer = await outbound.send({
        url,
        kind: 'import',
        headers: { Authorization: credentials[which] ?? '', Accept: accept, 'User-Agent': 'millrace' },
        timeout: 60_000,
        maximumBytes,
        // What was renamed there is where it says; the token goes no further than that server.
        redirects: 3,
        ...(signal ? { signal } : {}),
      });
      signal?.throwIfAborted();
      let broken: string | null = null;
      if (!answer.ok) {
        if (answer.reason === 'refused' || answer.reason === 'invalid')
          throw new ProviderError('refused', answer.message);
      } else {
        const wait = waitOf(answer, Date.now());
        if (wait !== null) {
          until[which] = Date.now() + wait;
          continue;
        }
        if (answer.status === 401) throw new ProviderError('unauthorized', 'The token is not valid');
        if (answer.status === 403) throw new ProviderError('unauthorized', 'The token does not allow this');
        if (answer.status === 404) throw new ProviderError('missing', 'Not Found');
        if (answer.status === 410) throw new ProviderError('missing', 'Gone');
        if (answer.truncated) throw new ProviderError('unreachable', 'The server answered with too much');
        if (answer.status < 300) {
          const body = parsed(answer);
          if (body !== undefined) return { answer, body };
          broken = 'The server answered with something else than JSON';
        } else if (answer.status < 500) throw new ProviderError('unreachable', `The server answered ${answer.status}`);
      }
      const pause = waits ? retries[failed] : undefined;
      if (pause === undefined)
        throw new ProviderError(
          'unreachable',
          broken ?? (answer.ok ? `The server answered ${answer.status}` : answer.message),
        );
      failed += 1;
      await sleep(pause, undefined, signal ? { signal } : {});
    }
  }

  return {
    get: async (path) => record((await ask(base + path)).body),
    async *pages(path) {
      let url: string | null = base + path;
      for (let page = 0; url !== null; page += 1) {
        if (page >= mostPages) throw new ProviderError('unreachable', 'The server has no last page');
        const { answer, body } = await ask(url);
        yield (options.rows?.(body) ?? (Array.isArray(body) ? body : [])).map(record);
        const next = options.next({ headers: answer.headers, body, url });
        // The token is for one server.
        if (next !== null && new URL(next, url).origin !== new URL(base).origin)
          throw new ProviderError('refused', 'The server names a page on another server');
        url = next;
      }
    },
  };
}

/** The address behind `rel="next"` of a `Link` header. */
export function nextLink(header: string | undefined): string | null {
  for (const part of header?.split(',') ?? []) {
    const [, url] = /^\s*<([^>]+)>\s*;(?=.*rel="next")/.exec(part) ?? [];
    if (url) return url;
  }
  return null;
}

/** The page behind, at the address that answered: the other server names pages under the one that it believes to have. */
export function nextHere({ headers, url }: { readonly headers: OutboundAnswer['headers']; readonly url: string }) {
  const link = URL.parse(nextLink(headers.link) ?? '');
  if (!link) return null;
  const next = new URL(url);
  next.search = link.search;
  return next.href;
}

/** Where a server is, without slashes at the end; null for what is no address, or one with a password. */
export function serverAt(address: string): { readonly origin: string; readonly path: string } | null {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
}
