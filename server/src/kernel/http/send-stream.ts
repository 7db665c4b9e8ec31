/** Sends a body as it comes, or what stands for it where the client has it already. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagMatches } from './conditional.ts';
import type { Streamed } from './route.ts';

export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  result: Streamed,
): Promise<FastifyReply> {
  const { stream, headers = {} } = result;
  const unchanged = etagMatches(request.headers['if-none-match'], headers.ETag);
  const wanted = !unchanged && request.method !== 'HEAD';
  if (!wanted && typeof stream !== 'function') stream.destroy();
  // Opened before any header is set: a failure has headers of its own.
  const body = wanted ? await (typeof stream === 'function' ? stream() : stream) : undefined;
  for (const [name, value] of Object.entries(headers))
    if (!unchanged || name !== 'Content-Length') reply.header(name, value);
  if (unchanged) return reply.code(304).send();
  return reply
    .code(result.status ?? 200)
    .header('Content-Type', result.type)
    .send(body);
}
