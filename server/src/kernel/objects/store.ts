/** Blobs that are not rows: artifacts, traces, uploads. One small interface; names are generated, never a user's. */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { tooLarge } from '../http/errors.ts';

interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Buffer;
}

export interface PutOptions {
  readonly maxBytes?: number;
  readonly limitName?: string;
  readonly signal?: AbortSignal;
}

export interface SignedUrlOptions {
  readonly seconds: number;
  /** Saved under this name: the answer is an attachment. */
  readonly filename?: string;
  readonly contentType?: string;
}

export interface ObjectStore {
  /**
   * Keeps a stream, or bytes that are there already; durable when it resolves. Past `maxBytes` nothing is kept and the error
   * is 413 with `limitName`.
   */
  put(source: Readable | Buffer, options?: PutOptions): Promise<StoredObject>;
  /** Takes over a file of the temporary directory; the file is gone afterwards. */
  putFile(file: string, known: { size: number; sha256: Buffer }): Promise<StoredObject>;
  /**
   * The bytes, or a part of them (`end` inclusive). The stream fails where the object is missing (ENOENT), cannot be
   * read, or is given up.
   */
  get(key: string, range?: { start: number; end: number }): Readable;
  exists(key: string): Promise<boolean>;
  /** Bytes of an object; null when it is missing. */
  size(key: string): Promise<number | null>;
  /**
   * Address under which anyone who has it reads the object for some seconds, straight from the storage; null where
   * downloads go through this process. Who may read is asked before. The answer's headers are the storage's, and its
   * origin is not ours.
   */
  signedUrl(key: string, options: SignedUrlOptions): Promise<string | null>;
  /** Removes; a missing object is no error. */
  remove(key: string): Promise<void>;
  /** Directory of this machine for files in flight: bodies on their way in, archives being made. */
  readonly temporary: string;
  /** Fails when nothing can be written. */
  check(): Promise<void>;
  /** Removes what processes that died left in flight. */
  sweep(): Promise<void>;
  /** Every object, in no order; for moving them to another store. */
  list(): AsyncIterable<{ readonly key: string; readonly size: number }>;
  /** Keeps an object of another store under the key that it has there. */
  adopt(key: string, stream: Readable, size: number): Promise<void>;
}

/** What is in flight longer than this belongs to nobody. */
export const draftLifetime = 24 * 3_600_000;

const keyPattern = /^[0-9a-f]{32}$/;
export const isKey = (text: string) => keyPattern.test(text);
export const newKey = () => randomBytes(16).toString('hex');

/** Keys come from our own rows; anything else must not become a part of a name. */
export function checkedKey(key: string): string {
  if (!isKey(key)) throw new Error('not an object key');
  return key;
}

/** The object is not there: the error of a file that is missing, whatever the store. */
export const missing = (key: string) => Object.assign(new Error(`object ${key} is missing`), { code: 'ENOENT' });

export const wrongSize = ({ key, size }: { key: string; size: number }, expected: number) =>
  new Error(`object ${key} has ${size} bytes instead of ${expected}`);

/** Bytes as a stream of them. */
export const streamOf = (source: Readable | Buffer): Readable =>
  Buffer.isBuffer(source) ? Readable.from([source], { objectMode: false }) : source;

/** Passes bytes on, and says afterwards how many there were and what they hash to. */
export function measure({ maxBytes = Number.POSITIVE_INFINITY, limitName = 'max_object_bytes' }: PutOptions = {}) {
  const hash = createHash('sha256');
  let size = 0;
  return {
    through: async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(limitName, maxBytes);
        hash.update(chunk);
        yield chunk;
      }
    },
    result: () => ({ size, sha256: hash.digest() }),
  };
}
