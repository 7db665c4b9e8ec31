/** Objects on their way: batch requests, uploads, downloads. Nothing is read of a request before its caller is known. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { canOnProject } from '../../kernel/authz/can.ts';
import { Level } from '../../kernel/authz/levels.ts';
import { anonymous, type Caller, type ProjectSubject } from '../../kernel/authz/subjects.ts';
import { etagMatches } from '../../kernel/http/conditional.ts';
import { plainError, unprocessable } from '../../kernel/http/errors.ts';
import { rangeOf } from '../../kernel/http/ranges.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import { answer, missing } from './answers.ts';
import { answerBatch, isOid, isSize, readBatch } from './batch.ts';
import type { LfsCallers } from './callers.ts';
import { paced } from './pace.ts';

interface LfsObject {
  readonly oid: string;
  readonly size: number;
  readonly object_key: string;
}

/** Objects of projects, implemented by the repository feature. */
export interface LfsStore {
  /** Those of the objects that a project has, by id. */
  of(subject: ProjectSubject, oids: readonly string[]): Promise<ReadonlyMap<string, LfsObject>>;
  /** Gives a fork what its source has, where the caller may read that; the ids of all that the fork has then. */
  fromSource(subject: ProjectSubject, caller: Caller, oids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Throws where so many bytes more do not fit into a project. */
  requireRoom(subject: ProjectSubject, bytes: number): Promise<void>;
  /** Keeps an object; throws 422 where the bytes are not those that were announced. */
  take(
    subject: ProjectSubject,
    object: { readonly oid: string; readonly size: number },
    body: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface LfsObjectsDependencies {
  readonly callers: LfsCallers;
  readonly store: LfsStore;
  readonly objects: Pick<ObjectStore, 'get' | 'size' | 'signedUrl'>;
  readonly externalUrl: string;
  readonly limits: { readonly lfsBatchObjects: number; readonly lfsStallSeconds: number };
  readonly readJson: (request: FastifyRequest) => Promise<Readonly<Record<string, unknown>>>;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
type Params = Readonly<Record<'repository' | 'oid' | 'size', string>>;

/** For how long addresses of the storage itself are good: a large batch on a slow line takes its time. */
const signedSeconds = 3600;
const usualSeconds = 7200;
const media = 'application/octet-stream';

export function lfsObjectHandlers(deps: LfsObjectsDependencies) {
  const { callers, store } = deps;
  const paramsOf = (request: FastifyRequest) => request.params as Params;

  const ended = (reply: FastifyReply): AbortSignal => {
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort());
    return controller.signal;
  };

  const batch: Handler = async (request, reply) => {
    const path = paramsOf(request).repository;
    const who = await callers.identify(request, reply);
    let target = await callers.authorise(who, path, 'read');
    const wanted = readBatch(await deps.readJson(request), deps.limits.lfsBatchObjects);
    if (wanted.operation === 'upload') target = await callers.authorise(who, path, 'write');
    callers.requireDirection(who, wanted.operation);
    const { subject, caller, fullPath } = target;
    const oids = [...new Set(wanted.objects.flatMap(({ oid, problem }) => (problem === null ? [oid] : [])))];
    let known = await store.of(subject, oids);
    if (wanted.operation === 'upload') {
      const absent = oids.filter((oid) => !known.has(oid));
      if ((await store.fromSource(subject, caller, absent)).size > 0) known = await store.of(subject, oids);
      const sizes = new Map(
        wanted.objects.flatMap(({ oid, size, problem }) =>
          problem !== null || known.has(oid) ? [] : [[oid, size] as const],
        ),
      );
      await store.requireRoom(
        subject,
        sizes.values().reduce((sum, size) => sum + size, 0),
      );
    }
    // What everybody may read is not sent with anybody's secret.
    const open =
      wanted.operation === 'download' && canOnProject(anonymous, 'read_code', { ...subject, level: Level.none });
    const objects = await answerBatch(wanted, {
      known,
      signedUrl: (key, oid) =>
        deps.objects.signedUrl(key, { seconds: signedSeconds, filename: oid, contentType: media }),
      signedSeconds,
      base: `${deps.externalUrl}/${fullPath}.git`,
      authorization: open ? undefined : request.headers.authorization,
      seconds: who.grant?.secondsLeft ?? usualSeconds,
      subject,
    });
    return answer(reply, 200, { transfer: 'basic', objects, hash_algo: 'sha256' });
  };

  const verify: Handler = async (request, reply) => {
    const who = await callers.identify(request, reply);
    const { subject } = await callers.authorise(who, paramsOf(request).repository, 'write');
    callers.requireDirection(who, 'upload');
    const { oid, size } = await deps.readJson(request);
    if (!isOid(oid) || !isSize(size)) throw unprocessable('oid and size must be those of an object.');
    const found = (await store.of(subject, [oid])).get(oid);
    if (!found) throw missing('This project has no such object.');
    if (found.size !== size) throw unprocessable(`The object has ${found.size} bytes, not ${size}.`);
    return answer(reply, 200, { oid, size });
  };

  const upload: Handler = async (request, reply) => {
    const who = await callers.identify(request, reply);
    const { repository, oid, size: text } = paramsOf(request);
    const { subject } = await callers.authorise(who, repository, 'write');
    callers.requireDirection(who, 'upload');
    const size = /^\d{1,15}$/.test(text) ? Number(text) : null;
    if (!isOid(oid) || size === null) throw unprocessable('The address must end with the oid and size of an object.');
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      throw plainError(415, 'The object must be sent as it is, without a Content-Encoding.');
    const announced = request.headers['content-length'];
    if (announced !== undefined && Number(announced) !== size)
      throw unprocessable(`The request has ${announced} bytes, not the ${size} of the object.`);
    if (!(await store.of(subject, [oid])).has(oid)) await store.requireRoom(subject, size);
    await store.take(subject, { oid, size }, paced(request.raw, deps.limits.lfsStallSeconds), ended(reply));
    return answer(reply, 200, { oid, size });
  };

  const download: Handler = async (request, reply) => {
    const who = await callers.identify(request, reply);
    const { repository, oid } = paramsOf(request);
    const { subject } = await callers.authorise(who, repository, 'read');
    callers.requireDirection(who, 'download');
    const found = isOid(oid) ? (await store.of(subject, [oid])).get(oid) : undefined;
    if (!found) throw missing();
    const { object_key: key, size } = found;
    const signed = await deps.objects.signedUrl(key, { seconds: signedSeconds, filename: oid, contentType: media });
    if (signed !== null) return reply.header('Cache-Control', 'private, no-store').redirect(signed, 302);
    if ((await deps.objects.size(key)) === null) throw missing('The object is lost from the storage: send it again.');
    const etag = `"${oid}"`;
    reply.headers({
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-cache',
      'Content-Disposition': `attachment; filename="${oid}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
    });
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const same = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const range = same ? rangeOf(request.headers.range, size) : null;
    if (range === 'outside') {
      reply.header('Content-Range', `bytes */${size}`);
      throw plainError(416, `The object has ${size} bytes.`);
    }
    const { start, end } = range ?? { start: 0, end: size - 1 };
    reply
      .code(range ? 206 : 200)
      .header('Content-Type', media)
      .header('Content-Length', String(end - start + 1));
    if (range) reply.header('Content-Range', `bytes ${start}-${end}/${size}`);
    if (request.method === 'HEAD') return reply.send();
    return reply.send(range ? deps.objects.get(key, range) : deps.objects.get(key));
  };

  return { batch, verify, upload, download };
}
