/**
 * The one way to addresses that users give: looked up, checked, and then connected to as they were checked. Failures are
 * answers, not exceptions.
 */
import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Settings } from '../settings/index.ts';
import { type Answer, type ClientCertificate, type Exchange, exchange, type Opened, opened } from './exchange.ts';
import { type Destination, destinationOf, type Reach, refusedAddress, refusedHost, sshDestinationOf } from './rules.ts';
import { openSocket, type SocketRequest } from './socket.ts';

export { BrokenOff, lively } from './lively.ts';

/** Who gave the address: administrators for system hooks and services of the instance, everybody else for the rest. */
export type OutboundKind =
  | 'system_hook'
  | 'service'
  | 'web_hook'
  | 'integration'
  | 'import'
  | 'mirror'
  | 'include'
  | 'image';

export interface OutboundRequest {
  readonly url: string;
  readonly kind: OutboundKind;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent as it comes, once: it does not go with redirects. */
  readonly body?: string | Buffer | Readable;
  /** Default true. */
  readonly verifyTls?: boolean;
  /** What proves this instance to the other side over TLS; PEM. */
  readonly clientCertificate?: ClientCertificate;
  /** Milliseconds; default 10,000 each. */
  readonly connectTimeout?: number;
  readonly timeout?: number;
  /** Bytes of the answer that are read, at most what the instance allows; default 1 MiB. `truncated` tells that there were more. */
  readonly maximumBytes?: number;
  /** Redirects of GET and HEAD that are followed, each checked like the first address; default none. */
  readonly redirects?: number;
  readonly signal?: AbortSignal;
}

export type OutboundFailureReason =
  /** Not an address of http or https. */
  | 'invalid'
  /** The instance does not allow it. */
  | 'refused'
  /** Nothing is told to others for now. */
  | 'silent'
  | 'unresolved'
  | 'timeout'
  | 'tls'
  | 'connection';

export interface OutboundAnswer extends Answer {
  readonly ok: true;
  readonly durationMs: number;
  /** Where it came from, after redirects. */
  readonly url: string;
}

export interface OutboundStream extends Opened {
  readonly ok: true;
  /** Where it comes from, after redirects. */
  readonly url: string;
}

export interface OutboundSocket {
  readonly ok: true;
  /** Open and paused: `resume` it when its messages are listened to. */
  readonly socket: WebSocket;
}

export interface OutboundFailure {
  readonly ok: false;
  readonly reason: OutboundFailureReason;
  /** For people; without parts of the address. */
  readonly message: string;
  readonly durationMs: number;
}

export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundAnswer | OutboundFailure>;
  /**
   * The same with a body that is read as it comes, of any length: `timeout` is until it begins, `signal` ends it later.
   * Who got one closes it.
   */
  open(request: Omit<OutboundRequest, 'maximumBytes'>): Promise<OutboundStream | OutboundFailure>;
  /** A WebSocket at an address of https; `signal` ends the attempt. */
  socket(
    request: Omit<SocketRequest, 'addresses'> & { readonly kind: OutboundKind },
  ): Promise<OutboundSocket | OutboundFailure>;
  /** A TCP connection to where an address of SSH leads; `signal` ends the attempt. Who got one closes it. */
  connect(request: {
    readonly url: string;
    readonly kind: OutboundKind;
    readonly signal: AbortSignal;
  }): Promise<{ readonly ok: true; readonly socket: Socket } | OutboundFailure>;
  /** What speaks against an address that somebody enters, or null. Names are looked up when something is sent. */
  refusal(url: string, kind: OutboundKind): Promise<string | null>;
}

interface OutboundDependencies {
  readonly settings: Pick<Settings, 'read'>;
  /** All addresses of a name; the system's resolver unless a test has another. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const mebibyte = 1024 * 1024;

const systemResolve = async (host: string) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

class Refusal extends Error {
  readonly reason: OutboundFailureReason;
  constructor(reason: OutboundFailureReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Requests that tell others what happens here. */
const notifying: ReadonlySet<OutboundKind> = new Set(['system_hook', 'web_hook', 'integration', 'mirror']);
const redirecting = new Set([301, 302, 303, 307, 308]);
const credentialHeaders = /^(?:authorization|cookie|proxy-authorization|private-token|x-gitlab-token)$/i;

function failureOf(error: unknown): { reason: OutboundFailureReason; message: string } {
  if (error instanceof Refusal) return { reason: error.reason, message: error.message };
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  if (name === 'TimeoutError' || code === 'ETIMEDOUT' || message === 'connect timeout')
    return { reason: 'timeout', message: 'The other side did not answer in time' };
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return { reason: 'unresolved', message: 'The host cannot be resolved' };
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) return { reason: 'tls', message: `TLS failed: ${code}` };
  return { reason: 'connection', message: `The connection failed${code ? `: ${code}` : ''}` };
}

/** One per process. */
export function createOutbound({ settings, resolve = systemResolve }: OutboundDependencies): Outbound {
  async function rulesFor(kind: OutboundKind): Promise<{ reach: Reach; pin: boolean }> {
    const {
      allow_local_requests_from_web_hooks_and_services: hooksMay,
      allow_local_requests_from_system_hooks: systemHooksMay,
      outbound_local_requests_whitelist: allowed,
      deny_all_requests_except_allowed: onlyAllowed,
      dns_rebinding_protection_enabled: pin,
    } = await settings.read();
    // Whoever writes a text has images fetched: never from the local network, unless an address of it is listed.
    const allowLocal = kind === 'system_hook' || kind === 'service' ? systemHooksMay : kind !== 'image' && hooksMay;
    return { reach: { allowLocal, allowed, onlyAllowed }, pin };
  }

  /** The addresses of a host, all of them allowed. */
  async function checked(destination: Destination, reach: Reach, signal: AbortSignal): Promise<readonly string[]> {
    const { host } = destination;
    const addresses = isIP(host) === 0 ? await withSignal(resolve(host), signal) : [host];
    if (addresses.length === 0) throw new Refusal('unresolved', 'The host cannot be resolved');
    for (const address of addresses) {
      const because = refusedAddress(destination, address, reach);
      if (because) throw new Refusal('refused', because);
    }
    return addresses;
  }

  /** Asks, and follows redirects as far as they are allowed; what is answered at the end has not been read. */
  async function follow<T extends { readonly status: number; readonly headers: Readonly<Record<string, string>> }>(
    request: OutboundRequest,
    signal: AbortSignal,
    ask: (one: Omit<Exchange, 'maximumBytes'>) => Promise<T>,
    leave: (answer: T) => void,
  ): Promise<T & { url: string }> {
    const { kind, method = 'GET', verifyTls = true, connectTimeout = 10_000 } = request;
    await requireSpoken(kind);
    const { reach, pin } = await rulesFor(kind);
    let { url, headers = {} } = request;
    let left = method === 'GET' || method === 'HEAD' ? (request.redirects ?? 0) : 0;
    for (;;) {
      const destination = destinationOf(url);
      if (!destination) throw new Refusal('invalid', 'The address is not one of http or https');
      const addresses = await checked(destination, reach, signal);
      const answer = await ask({
        ...{ destination, method, headers, verifyTls, connectTimeout, signal },
        ...(request.clientCertificate ? { clientCertificate: request.clientCertificate } : {}),
        body: request.body ?? null,
        addresses: pin ? addresses : null,
      });
      const { location } = answer.headers;
      if (!redirecting.has(answer.status) || location === undefined || left === 0) return { ...answer, url };
      leave(answer);
      left -= 1;
      const next = URL.parse(location, url);
      if (!next) throw new Refusal('invalid', 'The address is not one of http or https');
      // What proves us to one server is not for another.
      if (next.origin !== destination.url.origin)
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialHeaders.test(name)));
      url = next.href;
    }
  }

  /** In silent mode nobody else hears of what happens here; what people fetch for themselves still comes. */
  async function requireSpoken(kind: OutboundKind): Promise<void> {
    if (notifying.has(kind) && (await settings.read()).silent_mode_enabled)
      throw new Refusal('silent', 'Silent mode is enabled: the instance sends nothing');
  }

  return {
    refusal: async (url, kind) => {
      const destination = destinationOf(url) ?? (kind === 'mirror' ? sshDestinationOf(url) : null);
      if (!destination) return 'The address is not one of http or https';
      return refusedHost(destination, (await rulesFor(kind)).reach);
    },
    send: async (request) => {
      const started = performance.now();
      const duration = () => Math.round(performance.now() - started);
      const over = AbortSignal.timeout(request.timeout ?? 10_000);
      const signal = request.signal ? AbortSignal.any([over, request.signal]) : over;
      try {
        const { max_http_response_size_limit: megabytes } = await settings.read();
        const most = megabytes === 0 ? Number.MAX_SAFE_INTEGER : megabytes * mebibyte;
        const maximumBytes = Math.min(request.maximumBytes ?? mebibyte, most);
        const ask = (one: Omit<Exchange, 'maximumBytes'>) => exchange({ ...one, maximumBytes });
        const answer = await follow(request, signal, ask, () => undefined);
        return { ok: true, ...answer, durationMs: duration() };
      } catch (error) {
        const cause = over.aborted ? { name: 'TimeoutError' } : error;
        return { ok: false, ...failureOf(cause), durationMs: duration() };
      }
    },
    open: async (request) => {
      const over = new AbortController();
      const late = setTimeout(() => over.abort(), request.timeout ?? 10_000);
      const signal = request.signal ? AbortSignal.any([over.signal, request.signal]) : over.signal;
      const begun = performance.now();
      try {
        const { status, headers, body, url, close } = await follow(request, signal, opened, (one) => one.close());
        return { ok: true, status, headers, body, url, close };
      } catch (error) {
        const cause = over.signal.aborted ? { name: 'TimeoutError' } : error;
        return { ok: false, ...failureOf(cause), durationMs: Math.round(performance.now() - begun) };
      } finally {
        clearTimeout(late);
      }
    },
    connect: async ({ url, kind, signal: ended }) => {
      const started = performance.now();
      const over = AbortSignal.timeout(10_000);
      const signal = AbortSignal.any([over, ended]);
      try {
        await requireSpoken(kind);
        const destination = sshDestinationOf(url);
        if (!destination) throw new Refusal('invalid', 'The address is not one of SSH');
        const { reach } = await rulesFor(kind);
        const because = refusedHost(destination, reach);
        if (because) throw new Refusal('refused', because);
        const addresses = await checked(destination, reach, signal);
        return { ok: true, socket: await connected(addresses, Number(destination.port), signal) };
      } catch (error) {
        const cause = over.aborted ? { name: 'TimeoutError' } : error;
        return { ok: false, ...failureOf(cause), durationMs: Math.round(performance.now() - started) };
      }
    },
    socket: async (request) => {
      const started = performance.now();
      const over = AbortSignal.timeout(10_000);
      const signal = AbortSignal.any([over, request.signal]);
      try {
        await requireSpoken(request.kind);
        const destination = destinationOf(request.url);
        if (destination?.url.protocol !== 'https:') throw new Refusal('invalid', 'The address is not one of https');
        const { reach, pin } = await rulesFor(request.kind);
        const addresses = await checked(destination, reach, signal);
        const url = request.url.replace(/^https:/i, 'wss:');
        return { ok: true, socket: await openSocket({ ...request, url, signal, addresses: pin ? addresses : null }) };
      } catch (error) {
        const cause = over.aborted ? { name: 'TimeoutError' } : error;
        return { ok: false, ...failureOf(cause), durationMs: Math.round(performance.now() - started) };
      }
    },
  };
}

/** A connection to the first of the addresses that takes one. */
async function connected(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    const socket = connect({ host, port });
    try {
      await withSignal(
        new Promise<void>((resolve, reject) => {
          socket.once('connect', resolve);
          socket.once('error', reject);
        }),
        signal,
      );
      return socket;
    } catch (error) {
      socket.destroy();
      failure = error;
    }
  }
  throw failure;
}

async function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
