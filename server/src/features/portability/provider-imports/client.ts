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
function waitOf({ status, headers }: OutboundAnswer, now: number): number | null {
  const exhausted = headers['x-ratelimit-remaining'] === '0';
  const after = Number(headers['retry-after']);
  if (status !== 429 && !(status === 403 && (exhausted || headers['retry-after'] !== undefined))) return null;
  if (headers['retry-after'] !== undefined && Number.isFinite(after)) return Math.max(after, 0) * 1000;
  const reset = Number(headers['x-ratelimit-reset']) * 1000;
  return Number.isFinite(reset) && reset > 0 ? Math.max(reset - now, 0) : 60_000;
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

  async function ask(url: string): Promise<OutboundAnswer> {
    for (let failed = 0; ; ) {
      const which = await account();
      const answer = await outbound.send({
        url,
        kind: 'import',
        headers: { Authorization: credentials[which] ?? '', Accept: accept, 'User-Agent': 'millrace' },
        timeout: 60_000,
        maximumBytes,
        ...(signal ? { signal } : {}),
      });
      signal?.throwIfAborted();
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
        if (answer.status < 300 && !answer.truncated) return answer;
        if (answer.truncated) throw new ProviderError('unreachable', 'The server answered with too much');
        if (answer.status < 500) throw new ProviderError('unreachable', `The server answered ${answer.status}`);
      }
      const pause = waits ? retries[failed] : undefined;
      if (pause === undefined)
        throw new ProviderError('unreachable', answer.ok ? `The server answered ${answer.status}` : answer.message);
      failed += 1;
      await sleep(pause, undefined, signal ? { signal } : {});
    }
  }

  function parsed(answer: OutboundAnswer): unknown {
    try {
      return JSON.parse(answer.body.toString('utf8'));
    } catch {
      throw new ProviderError('unreachable', 'The server answered with something else than JSON');
    }
  }

  return {
    get: async (path) => record(parsed(await ask(base + path))),
    async *pages(path) {
      let url: string | null = base + path;
      for (let page = 0; url !== null; page += 1) {
        if (page >= mostPages) throw new ProviderError('unreachable', 'The server has no last page');
        const answer = await ask(url);
        const body = parsed(answer);
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
