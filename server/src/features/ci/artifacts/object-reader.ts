/** Random access to an object wherever it is kept: an archive's directory and one file of it, not the whole. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';
import type { ObjectStore } from '../../../kernel/objects/index.ts';

/** Fetched at once where less is asked for: a directory is read in steps of some ten bytes, each a request otherwise. */
const blockBytes = 256 * 1024;

/** The library takes its source as a class of this kind. */
export class ObjectReader extends yauzl.RandomAccessReader {
  private block: { readonly start: number; readonly bytes: Buffer } | undefined;
  /** What keeps the object itself from being read, if anything does. */
  failure: Error | undefined;
  private readonly objects: Pick<ObjectStore, 'get'>;
  private readonly key: string;
  private readonly size: number;

  constructor(objects: Pick<ObjectStore, 'get'>, key: string, size: number) {
    super();
    this.objects = objects;
    this.key = key;
    this.size = size;
  }

  /** `end` is behind the last byte. */
  override _readStreamForRange(start: number, end: number): Readable {
    return this.objects.get(this.key, { start, end: end - 1 });
  }

  private async part(start: number, length: number): Promise<Buffer> {
    const { block } = this;
    if (block && start >= block.start && start + length <= block.start + block.bytes.length)
      return block.bytes.subarray(start - block.start, start - block.start + length);
    const end = Math.min(this.size, start + Math.max(length, blockBytes)) - 1;
    const bytes = await buffer(this.objects.get(this.key, { start, end })).catch((error: Error) => {
      this.failure = error;
      throw error;
    });
    if (bytes.length < length) throw new Error('the archive ends before its directory says');
    this.block = { start, bytes };
    return bytes.subarray(0, length);
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.part(position, length).then(
      (bytes) => {
        bytes.copy(target, offset);
        callback(null);
      },
      (error: Error) => callback(error),
    );
  }

  override close(callback: (error: Error | null) => void): void {
    this.block = undefined;
    callback(null);
  }
}
