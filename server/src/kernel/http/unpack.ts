/** Bodies that are streamed while they arrive: unpacked within bounds, and apart from the request that brings them. */
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HttpError } from './errors.ts';

export interface UnpackLimits {
  /** Unpacked bytes for each byte that was sent. */
  readonly maxUnpackRatio: number;
}

/** So many bytes may come of any input: small texts that repeat themselves are no attack. */
const freeBytes = 256 * 1024;

/** Whether so many unpacked bytes are more than the packed ones may become. */
const exceedsRatio = (unpacked: number, packed: number, { maxUnpackRatio }: UnpackLimits): boolean =>
  unpacked > freeBytes && unpacked > packed * maxUnpackRatio;

const bomb = ({ maxUnpackRatio }: UnpackLimits) =>
  new HttpError(413, {
    message: `413 Request Entity Too Large - the body unpacks to more than ${maxUnpackRatio} times its size (max_unpack_ratio)`,
  });

/**
 * Ends with `last`, which is fed by `first`. The request itself stays open when its reader has enough: destroyed, it would
 * take the connection and the answer with it.
 */
function apart(request: IncomingMessage, first: Transform, last: Transform): Readable {
  const fail = (error: Error) => last.destroy(error);
  request.once('error', fail);
  if (first !== last) first.once('error', fail);
  last.once('close', () => {
    request.unpipe(first);
    first.destroy();
    request.resume();
  });
  request.pipe(first);
  return last;
}

/** The body as it was sent. */
export function plainBody(request: IncomingMessage): Readable {
  const bytes = new PassThrough();
  return apart(request, bytes, bytes);
}

/** The body of a request with `Content-Encoding: gzip` as what it unpacks to. Fails with 413 beyond the limits. */
export function unpackedBody(request: IncomingMessage, limits: UnpackLimits): Readable {
  const gunzip = createGunzip();
  let size = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (exceedsRatio(size, gunzip.bytesWritten, limits)) done(bomb(limits));
      else done(null, chunk);
    },
  });
  const body = apart(request, gunzip, bounded);
  gunzip.pipe(bounded);
  return body;
}
