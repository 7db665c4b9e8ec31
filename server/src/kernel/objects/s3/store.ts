/**
 * Objects in a bucket of an S3 storage. The address is the operator's configuration, so these requests do not go through
 * the guard of outbound requests (kernel/outbound), which is for addresses of users: a storage in the local network is
 * the usual case.
 */
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachment } from '../../http/attachment.ts';
import { HttpError } from '../../http/errors.ts';
import { isMissing, ObjectStorageError, reasonOf } from '../errors.ts';
import { openDrafts } from '../files.ts';
import type { ObjectsConfig } from '../index.ts';
import {
  checkedKey,
  draftLifetime,
  isKey,
  measure,
  newKey,
  type ObjectStore,
  type PutOptions,
  streamOf,
  wrongSize,
} from '../store.ts';
import type { S3Location } from './location.ts';
import { readObject } from './read.ts';
import { partBytesFor, upload } from './upload.ts';

/** How long a connection may take, and an exchange may be silent. */
const connectMilliseconds = 5000;
const idleMilliseconds = 60_000;
/** Longest check of health. */
const checkMilliseconds = 4500;
/** Health is asked every few seconds and writes cost money: in between the bucket is only asked. */
const probeMilliseconds = 60_000;

type Keys = Omit<ObjectsConfig, 'data' | 'objects'>;

function clientOf(location: S3Location, keys: Keys, endpoint: string | null): S3Client {
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey, awsSessionToken: sessionToken } = keys;
  if ((accessKeyId === null) !== (secretAccessKey === null))
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed both, or neither');
  return new S3Client({
    region: location.region ?? keys.awsRegion ?? 'us-east-1',
    forcePathStyle: location.pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    // Without keys: the role of the machine or the container, as Amazon's library finds it.
    ...(accessKeyId && secretAccessKey
      ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } }
      : {}),
    maxAttempts: 4,
    // Checksums in trailers are Amazon's alone; the signature holds the hash of what is sent.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMilliseconds,
      socketTimeout: idleMilliseconds,
      httpAgent: { maxSockets: 256 },
      httpsAgent: { maxSockets: 256 },
    },
  });
}

/** Names the operation and what the storage said of it; what is not the storage's passes. */
function failed(work: string, error: unknown): unknown {
  const { name } = error as Error;
  if (error instanceof HttpError || error instanceof ObjectStorageError || name === 'AbortError') return error;
  return new ObjectStorageError(`${work}: ${reasonOf(error)}`);
}

/** Opens the store; nothing is asked yet, so that a storage which is down does not keep the server from starting. */
export function openS3Store(location: S3Location, keys: Keys, temporary: string): ObjectStore {
  const { bucket: Bucket, prefix } = location;
  const client = clientOf(location, keys, location.endpoint);
  const signer = location.publicEndpoint === null ? client : clientOf(location, keys, location.publicEndpoint);
  const at = (key: string) => ({ Bucket, Key: prefix + checkedKey(key) });
  let probed = Number.NEGATIVE_INFINITY;

  async function doing<T>(work: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw failed(work, error);
    }
  }

  /** Errors of the source are its own: only what the storage says is the storage's. */
  async function keep(key: string, source: Readable, options: PutOptions & { readonly size?: number }) {
    const { signal, size } = options;
    const measured = measure(options);
    const own: { error?: unknown } = {};
    async function* read() {
      try {
        yield* measured.through(signal ? addAbortSignal(signal, source) : source);
      } catch (error) {
        own.error = error;
        throw error;
      }
    }
    try {
      await upload(client, at(key), read(), {
        signal,
        ...(size === undefined ? {} : { size, partBytes: partBytesFor(size) }),
      });
    } catch (error) {
      throw own.error ?? failed(`object ${key} cannot be stored`, error);
    }
    return { key, ...measured.result() };
  }

  async function exactly(key: string, source: Readable, size: number): Promise<void> {
    const kept = await keep(key, source, { maxBytes: size, size });
    if (kept.size === size) return;
    await client.send(new DeleteObjectCommand(at(key)));
    throw wrongSize(kept, size);
  }

  const sizeOf = (key: string) =>
    doing('an object cannot be looked up', async () => {
      try {
        return (await client.send(new HeadObjectCommand(at(key)))).ContentLength ?? 0;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });

  return {
    temporary,
    put: (source, options = {}) => keep(newKey(), streamOf(source), options),
    async putFile(file, { size, sha256 }) {
      const key = newKey();
      await exactly(key, createReadStream(file, { highWaterMark: 1024 * 1024 }), size);
      await rm(file, { force: true });
      return { key, size, sha256 };
    },
    get: (key, range) => readObject(client, at(key), range),
    exists: async (key) => (await sizeOf(key)) !== null,
    size: sizeOf,
    async signedUrl(key, { seconds, filename, contentType }) {
      const target = at(key);
      if (location.proxy) return null;
      const command = new GetObjectCommand({
        ...target,
        ResponseCacheControl: 'private',
        ...(contentType === undefined ? {} : { ResponseContentType: contentType }),
        ...(filename === undefined ? {} : { ResponseContentDisposition: attachment(filename) }),
      });
      return await doing('an address cannot be signed', () => getSignedUrl(signer, command, { expiresIn: seconds }));
    },
    async remove(key) {
      const target = at(key);
      await doing('an object cannot be removed', () => client.send(new DeleteObjectCommand(target)));
    },
    async check() {
      const limit = { abortSignal: AbortSignal.timeout(checkMilliseconds) };
      try {
        await client.send(new HeadBucketCommand({ Bucket }), limit);
        if (performance.now() - probed < probeMilliseconds) return;
        // One name for all processes: whoever comes later writes over it.
        await client.send(new PutObjectCommand({ Bucket, Key: `${prefix}check`, Body: '', ContentLength: 0 }), limit);
        probed = performance.now();
      } catch (error) {
        const late = (error as Error).name === 'AbortError';
        throw new ObjectStorageError(`bucket ${Bucket}: ${late ? 'it does not answer' : reasonOf(error)}`);
      }
    },
    async sweep() {
      await openDrafts(temporary);
      await doing('abandoned uploads cannot be listed', async () => {
        let more: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | null = {};
        while (more) {
          const page: Awaited<ReturnType<typeof uploads>> = await uploads(more);
          for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
            if (
              Key?.startsWith(prefix) &&
              isKey(Key.slice(prefix.length)) &&
              Date.now() - (Initiated?.getTime() ?? Date.now()) > draftLifetime
            )
              await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
          more = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
        }
      });
    },
    async *list() {
      try {
        for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix }))
          for (const { Key = '', Size = 0 } of page.Contents ?? []) {
            const key = Key.slice(prefix.length);
            if (isKey(key)) yield { key, size: Size };
          }
      } catch (error) {
        throw failed('objects cannot be listed', error);
      }
    },
    adopt: exactly,
  };

  function uploads(after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined }) {
    return client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...after }));
  }
}
