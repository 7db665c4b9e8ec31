/**
 * Compressed answers: JSON of reads for clients that take gzip. Fast rather than small: the API answers in about a
 * millisecond, and most of the gain is in the first level.
 */
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const packed = promisify(gzip);

/** Below this many bytes one packet carries the answer either way. */
const smallest = 1400;
/** Above this many bytes another thread does it: the others would wait for longer than its start takes. */
const largeBytes = 64 * 1024;
const options = { level: 1 } as const;

/** Whether `Accept-Encoding` takes this coding, by its quality values (RFC 9110, 12.5.3). */
export function takesCoding(header: string | undefined, coding: string): boolean {
  let any = false;
  for (const part of (header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const taken = !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (name === coding) return taken;
    if (name === '*') any = taken;
  }
  return any;
}

/**
 * Another site may let a browser ask with its person's cookies, and would learn from the length of a compressed answer
 * what stands beside its own words (BREACH). Such requests get theirs as it is.
 */
const fromAnotherSite = ({ headers }: FastifyRequest): boolean =>
  headers.cookie !== undefined && !['same-origin', 'none'].includes(String(headers['sec-fetch-site'] ?? ''));

/** Compresses JSON that reads answer with. */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (reply.getHeader('content-type') !== 'application/json' || reply.getHeader('content-encoding') !== undefined)
      return payload;
    if (request.method !== 'GET' || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    if (Buffer.byteLength(payload) < smallest) return payload;
    const vary = String(reply.getHeader('vary') ?? '');
    reply.header('Vary', vary === '' ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
    if (!takesCoding(request.headers['accept-encoding'], 'gzip') || fromAnotherSite(request)) return payload;
    const body = payload.length > largeBytes ? await packed(payload, options) : gzipSync(payload, options);
    reply.header('Content-Encoding', 'gzip').removeHeader('Content-Length');
    return body;
  });
}
