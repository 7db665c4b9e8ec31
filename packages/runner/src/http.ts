/** HTTP for the runner: node:http with kept-alive connections; bodies go in and come out as streams. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';

const agents = {
  'http:': new HttpAgent({ keepAlive: true, maxSockets: 64, timeout: 120_000 }),
  'https:': new HttpsAgent({ keepAlive: true, maxSockets: 64, timeout: 120_000 }),
};

export type Exchange = {
  method: string;
  url: string | URL;
  headers?: Record<string, string>;
  body?: string | Buffer | Readable;
  signal?: AbortSignal | undefined;
  /** Milliseconds without any byte until the exchange fails. */
  idleTimeout?: number;
};

/** Sends a request and resolves with the head of the answer; rejects on network errors, never for a status code. */
export function send(exchange: Exchange): Promise<IncomingMessage> {
  const { method, headers = {}, body, signal, idleTimeout = 60_000 } = exchange;
  const url = new URL(exchange.url);
  return new Promise((resolve, reject) => {
    const secure = url.protocol === 'https:';
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method,
      headers:
        typeof body === 'string' || Buffer.isBuffer(body)
          ? { ...headers, 'Content-Length': Buffer.byteLength(body) }
          : headers,
      agent: agents[secure ? 'https:' : 'http:'],
      ...(signal ? { signal } : {}),
    });
    request.setTimeout(idleTimeout, () => request.destroy(new Error(`no answer within ${idleTimeout} ms`)));
    request.on('response', resolve);
    request.on('error', reject);
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) request.end(body);
    // A server that refuses early answers before it has read the body: the answer counts, not the broken pipe.
    else pipeline(body, request, (error) => error && !request.destroyed && request.destroy(error));
  });
}

/** The whole body as text, up to `limit` bytes; the rest is read and dropped so that the connection stays usable. */
export async function readText(response: IncomingMessage, limit = 64 * 1024 * 1024): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Milliseconds that `Retry-After` (seconds or a date) asks for; undefined without a valid one. At most ten minutes. */
export function retryAfter(response: IncomingMessage): number | undefined {
  const value = response.headers['retry-after'];
  if (!value) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(milliseconds) ? Math.min(Math.max(milliseconds, 0), 600_000) : undefined;
}
