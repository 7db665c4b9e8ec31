/** One request and its answer over a connection to addresses that were checked. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import type { Destination } from './rules.ts';

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string | null;
}

export interface Exchange {
  readonly destination: Destination;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent as it comes, in chunks. */
  readonly body: string | Buffer | Readable | null;
  readonly verifyTls: boolean;
  readonly clientCertificate?: ClientCertificate;
  /** Connected to, whatever the name says by now; null to look the name up again. */
  readonly addresses: readonly string[] | null;
  readonly connectTimeout: number;
  /** Over when the whole exchange is too slow, or nobody waits for it any more. */
  readonly signal: AbortSignal;
  readonly maximumBytes: number;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** There was more. */
  readonly truncated: boolean;
}

/** What frames a message is not for callers to say. */
const ours = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect)$/i;

type Lookup = NonNullable<RequestOptions['lookup']>;

/** Answers the addresses that were checked, whatever name is looked up. */
export const pinned =
  (addresses: readonly string[]): Lookup =>
  (_name, options, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = found;
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };

function headersOf(message: IncomingMessage): Record<string, string> {
  const entries = Object.entries(message.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Reads up to the limit; the rest is not waited for. */
async function bodyOf(message: IncomingMessage, maximum: number): Promise<{ body: Buffer; truncated: boolean }> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, maximum - size));
    size += part.length;
    if (size > maximum) return { body: Buffer.concat(parts), truncated: true };
  }
  return { body: Buffer.concat(parts), truncated: false };
}

/** An answer whose body is still to come. */
export interface Opened {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: IncomingMessage;
  /** Ends the connection; what has not been read is lost. */
  close(): void;
}

/** No proxy, no connection of others, no redirect: what answers is what the addresses are. */
export async function opened(options: Omit<Exchange, 'maximumBytes'>): Promise<Opened> {
  const { destination, method, headers, body, verifyTls, addresses, connectTimeout, signal } = options;
  const { cert, key, passphrase } = options.clientCertificate ?? {};
  const { url, host } = destination;
  const whole = typeof body === 'string' || Buffer.isBuffer(body) ? body : null;
  const answered = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    protocol: url.protocol,
    host,
    port: destination.port,
    path: url.pathname + url.search,
    method,
    headers: {
      Host: url.host,
      // Nothing is unpacked here.
      'Accept-Encoding': 'identity',
      ...(url.username || url.password ? { Authorization: basic(url) } : {}),
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => !ours.test(name))),
      ...(whole === null ? {} : { 'Content-Length': String(Buffer.byteLength(whole)) }),
    },
    agent: false,
    signal,
    ...(addresses ? { lookup: pinned(addresses) } : {}),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: verifyTls,
    ...(cert && key ? { cert, key } : {}),
    ...(passphrase ? { passphrase } : {}),
  });
  const connecting = setTimeout(() => request.destroy(new Error('connect timeout')), connectTimeout);
  request.once('socket', (socket) => {
    const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
    socket.once(ready, () => clearTimeout(connecting));
  });
  request.once('error', answered.reject);
  request.once('response', answered.resolve);
  // The request tells its errors itself; a body that breaks off ends it.
  if (body === null || whole !== null) request.end(whole ?? undefined);
  else pipeline(body as Readable, request, (error) => error && answered.reject(error));
  const close = () => {
    clearTimeout(connecting);
    // What comes now has nobody who waits for it.
    request.on('error', () => undefined);
    request.destroy();
  };
  try {
    const message = await answered.promise;
    clearTimeout(connecting);
    return { status: message.statusCode ?? 0, headers: headersOf(message), body: message, close };
  } catch (error) {
    close();
    throw error;
  }
}

export async function exchange(options: Exchange): Promise<Answer> {
  const { status, headers, body, close } = await opened(options);
  try {
    return { status, headers, ...(await bodyOf(body, options.maximumBytes)) };
  } finally {
    close();
  }
}

const basic = (url: URL) =>
  `Basic ${Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64')}`;
