/**
 * Serves the document at `/api/v4/openapi.json`. It is the generated file, which CI compares with the routes: nothing is
 * built at the start or at a request.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { etagMatches, etagOf } from '../conditional.ts';
import { noSuchRoute } from '../errors.ts';

/** Where the file lies, seen from the sources and from the bundle. */
const candidates = ['../../../../../docs/api/openapi.json', '../../docs/api/openapi.json'].map((path) =>
  join(import.meta.dirname, path),
);

interface Served {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly tag: string;
}

async function load(): Promise<Served> {
  const path = candidates.find((each) => existsSync(each));
  if (path === undefined) throw noSuchRoute();
  // Blanks are for people who read the repository.
  const plain = Buffer.from(JSON.stringify(JSON.parse(await readFile(path, 'utf8'))));
  return { plain, packed: await promisify(gzip)(plain), tag: etagOf(plain) };
}

/** Whether `Accept-Encoding` allows gzip. */
const takesGzip = (header: string | undefined): boolean => /\bgzip\b(?!\s*;\s*q=0(\.0+)?\b)/.test(header ?? '');

/** Mounts the document; the file is read when it is first asked for. */
export function mountOpenApi(server: FastifyInstance): void {
  let served: Promise<Served> | undefined;
  server.get('/api/v4/openapi.json', async (request, reply) => {
    served ??= load();
    served.catch(() => {
      served = undefined;
    });
    const { plain, packed, tag } = await served;
    reply
      .header('ETag', tag)
      .header('Cache-Control', 'public, max-age=0, must-revalidate')
      .header('Vary', 'Accept-Encoding');
    if (etagMatches(request.headers['if-none-match'], tag)) return reply.code(304).send();
    reply.header('Content-Type', 'application/json');
    if (!takesGzip(request.headers['accept-encoding'])) return reply.send(plain);
    return reply.header('Content-Encoding', 'gzip').send(packed);
  });
}
