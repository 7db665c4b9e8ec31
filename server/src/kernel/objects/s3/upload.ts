/**
 * One object into a bucket: small ones in one request, larger ones in parts, of which few are in memory at a time. The
 * object is there when all of it is; whatever ends an upload early, its parts are removed.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { tooLarge } from '../../http/errors.ts';

/** The protocol's bound. */
const mostParts = 10_000;
/** Some storages want all parts but the last to be of one size. */
const usualPartBytes = 8 * 1024 * 1024;
/** Parts on their way at once, besides the one that is being filled. */
const inFlight = 2;

/** Part size with which a known number of bytes fits. */
export const partBytesFor = (size: number) => Math.max(usualPartBytes, Math.ceil(size / mostParts));

interface Part {
  readonly bytes: Buffer;
  readonly last: boolean;
}

/**
 * Cuts a stream; the last part may be empty. From the second part on, or from the first where there will be several, buffers
 * are used again: parts that are left to the garbage collector pile up faster than it looks.
 */
async function* cut(
  source: AsyncIterable<Buffer>,
  partBytes: number,
  spare: Buffer[],
  several: boolean,
): AsyncGenerator<Part> {
  let chunks: Buffer[] = [];
  let filling: Buffer | undefined = several ? Buffer.allocUnsafeSlow(partBytes) : undefined;
  let size = 0;
  const add = (piece: Buffer) => {
    if (filling) piece.copy(filling, size);
    else chunks.push(piece);
    size += piece.length;
  };
  const filled = () => filling?.subarray(0, size) ?? Buffer.concat(chunks, size);
  for await (let chunk of source) {
    while (size + chunk.length > partBytes) {
      const head = chunk.subarray(0, partBytes - size);
      chunk = chunk.subarray(head.length);
      add(head);
      yield { bytes: filled(), last: false };
      chunks = [];
      filling = spare.pop() ?? Buffer.allocUnsafeSlow(partBytes);
      size = 0;
    }
    add(chunk);
  }
  yield { bytes: filled(), last: true };
}

export interface UploadOptions {
  readonly partBytes?: number;
  /** How many bytes there are, where that is known. */
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

interface Target {
  readonly Bucket: string;
  readonly Key: string;
}

/** Starts a multipart upload and sends its parts. A failure ends the ones on their way, and waits for that. */
async function sendParts(
  client: S3Client,
  target: Target & { readonly UploadId: string },
  parts: AsyncIterable<Part>,
  spare: Buffer[],
  signal: AbortSignal | undefined,
): Promise<{ PartNumber: number; ETag: string | undefined }[]> {
  const stop = new AbortController();
  const abortSignal = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const sent: { PartNumber: number; ETag: string | undefined }[] = [];
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let number = 0;
  let size = 0;
  try {
    for await (const { bytes, last } of parts) {
      if (failure) break;
      if (bytes.length === 0) continue;
      number += 1;
      if (number > mostParts) throw tooLarge('the largest object of this storage', size);
      size += bytes.length;
      const PartNumber = number;
      const command = new UploadPartCommand({ ...target, PartNumber, Body: bytes, ContentLength: bytes.length });
      const one = client
        .send(command, { abortSignal })
        .then(({ ETag }) => {
          sent.push({ PartNumber, ETag });
          if (!last) spare.push(bytes);
        })
        .catch((error: unknown) => {
          failure ??= { error };
          stop.abort();
        })
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= inFlight) await Promise.race(running);
    }
  } catch (error) {
    failure ??= { error };
    stop.abort();
  }
  await Promise.all(running);
  if (failure) throw failure.error;
  return sent.sort((a, b) => a.PartNumber - b.PartNumber);
}

/** The answer to a completed upload may be lost; the repeated request then finds no upload. */
async function complete(
  client: S3Client,
  { UploadId, ...target }: Target & { readonly UploadId: string },
  Parts: { PartNumber: number; ETag: string | undefined }[],
): Promise<void> {
  try {
    await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }));
  } catch (error) {
    // Keys are used once: an object of this name is this one.
    const lost = (error as { name?: string }).name === 'NoSuchUpload';
    if (!lost || !(await client.send(new HeadObjectCommand(target)).catch(() => null))) throw error;
  }
}

/** Resolves when the object is kept. */
export async function upload(
  client: S3Client,
  target: Target,
  source: AsyncIterable<Buffer>,
  { partBytes = usualPartBytes, size = 0, signal }: UploadOptions = {},
): Promise<void> {
  const spare: Buffer[] = [];
  const parts = cut(source, partBytes, spare, size > partBytes);
  try {
    const { value: first } = await parts.next();
    if (!first) throw new Error('the source has no end');
    if (first.last) {
      const command = new PutObjectCommand({ ...target, Body: first.bytes, ContentLength: first.bytes.length });
      await client.send(command, signal ? { abortSignal: signal } : {});
      return;
    }
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand(target),
      signal ? { abortSignal: signal } : {},
    );
    if (!UploadId) throw new Error('the storage gave no upload id');
    const started = { ...target, UploadId };
    async function* all() {
      yield first as Part;
      yield* parts;
    }
    try {
      await complete(client, started, await sendParts(client, started, all(), spare, signal));
    } catch (error) {
      // What this does not reach, the sweep does.
      await client.send(new AbortMultipartUploadCommand(started)).catch(() => undefined);
      throw error;
    }
  } finally {
    await parts.return(undefined);
  }
}
