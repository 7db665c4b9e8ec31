/** An answer in the making: git writes once, any number of readers follow, each at its own pace. */
import { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import type { GitStream } from '../process/run.ts';
import type { GrowingEntry } from './answer-entry.ts';

export interface RunOptions {
  make: (signal: AbortSignal) => Promise<GitStream>;
  /** Bytes from which it goes to disk. */
  spoolFrom: number;
  /** Bytes up to which it stays there. */
  spoolUpTo: number;
  spool: () => Promise<GrowingEntry | null>;
  /** It will not be kept, or is finished: no reader may join from here on. */
  closed: () => void;
  /** git ended well. The whole answer, in memory or as an entry. */
  finished: (result: { size: number; small: Buffer | null; entry: GrowingEntry | null }) => Promise<void>;
}

export interface Run {
  /** The answer from its beginning, once there is something of it. Throws what kept git from starting. */
  read(signal?: AbortSignal): Promise<Readable>;
}

interface Reader {
  position: number;
}

/** Bytes that wait for the disk before git has to wait. */
const mostUnwritten = 2 * 1024 * 1024;
/** Bytes kept at hand for readers that follow closely. */
const recentBytes = 1024 * 1024;
/** Without a disk git is as fast as its slowest reader and this. */
const mostAhead = 1024 * 1024;

const aborted = () => new GitError('aborted', 'the caller went away');

/** Starts it. It is ended when its last reader has left. */
export function createRun(options: RunOptions): Run {
  const controller = new AbortController();
  const readers = new Set<Reader>();
  /** The newest pieces with where they begin; all that is not on disk is among them. */
  let recent: { from: number; data: Buffer }[] = [];
  let size = 0;
  let entry: GrowingEntry | null = null;
  let keeping = true;
  let over = false;
  let failure: unknown = null;
  let writing: Promise<void> | null = null;
  let waiting: (() => void)[] = [];

  const changed = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const change = () => new Promise<void>((resolve) => waiting.push(resolve));

  async function stopKeeping(): Promise<void> {
    if (!keeping) return;
    keeping = false;
    options.closed();
    await entry?.abandon();
  }

  const held = () => size - (recent[0]?.from ?? size);
  /** Lets go of pieces that are on disk, or that every reader has. */
  function trim(most: number): void {
    const bound = keeping ? (entry?.size ?? 0) : Math.min(size, ...[...readers].map(({ position }) => position));
    let gone = 0;
    for (let left = held(); left > most; gone += 1) {
      const piece = recent[gone];
      if (!piece || piece.from + piece.data.length > bound) break;
      left -= piece.data.length;
    }
    if (gone > 0) recent = recent.slice(gone);
  }

  /** Brings to disk what is not there yet. */
  async function write(): Promise<void> {
    if (keeping && entry === null && size > options.spoolFrom) {
      entry = await options.spool();
      if (entry === null) await stopKeeping();
    }
    while (keeping && entry && entry.size < size) {
      if (size > options.spoolUpTo) return await stopKeeping();
      const done = entry.size;
      try {
        await entry.append(recent.filter(({ from }) => from >= done).map(({ data }) => data));
      } catch {
        return await stopKeeping();
      }
      trim(recentBytes);
      changed();
    }
  }
  const startWriting = () => {
    writing ??= write().finally(() => {
      writing = null;
      changed();
    });
  };
  async function written(): Promise<void> {
    for (let current = writing; current !== null; current = writing) await current;
  }

  const crowded = () => (keeping ? size - (entry?.size ?? 0) > mostUnwritten : held() > mostAhead && readers.size > 0);

  async function produce(begun: () => void): Promise<void> {
    const { stdout, done } = await options.make(controller.signal);
    begun();
    for await (const data of stdout as AsyncIterable<Buffer>) {
      recent.push({ from: size, data });
      size += data.length;
      changed();
      if (keeping && size > options.spoolFrom) startWriting();
      if (!keeping) trim(0);
      while (crowded()) {
        await change();
        if (!keeping) trim(0);
      }
    }
    // A refusal is told inside the protocol: those who asked get it, nobody else.
    const well = await done.then(
      () => true,
      (error: unknown) => {
        if (error instanceof GitError && error.exitCode !== null) return false;
        throw error;
      },
    );
    await written();
    if (!well) await stopKeeping();
    if (keeping) await write();
    if (!keeping) return;
    const small = entry === null ? Buffer.concat(recent.map(({ data }) => data)) : null;
    await options.finished({ size, small, entry });
  }

  const closeWhenUnused = () => {
    if (over && readers.size === 0) void entry?.close();
  };
  const begun = new Promise<void>((resolve, reject) => {
    void produce(resolve)
      .catch(async (error: unknown) => {
        failure = error;
        reject(error);
        await written();
        await stopKeeping();
      })
      .finally(() => {
        over = true;
        options.closed();
        changed();
        closeWhenUnused();
      });
  });
  begun.catch(() => undefined);

  function leave(reader: Reader): void {
    if (!readers.delete(reader)) return;
    if (readers.size === 0 && !over) {
      // Nobody wants it any more, and nobody may begin to.
      options.closed();
      controller.abort();
    }
    changed();
    closeWhenUnused();
  }

  /** The next piece for a reader; null at the end. */
  async function next(reader: Reader): Promise<Buffer | null> {
    for (;;) {
      const first = recent[0];
      if (reader.position < size && first && reader.position >= first.from) {
        const piece = recent.findLast(({ from }) => from <= reader.position);
        if (piece) return piece.data.subarray(reader.position - piece.from);
      } else if (reader.position < size && entry) return await entry.read(reader.position);
      else if (failure) throw failure;
      else if (over || !readers.has(reader)) return null;
      await change();
    }
  }

  function streamOf(reader: Reader): Readable {
    let pumping = false;
    let wanted = false;
    async function pump(stream: Readable): Promise<void> {
      if (pumping) return;
      pumping = true;
      try {
        for (let more = true; more; ) {
          const piece = await next(reader);
          if (stream.destroyed) return;
          reader.position += piece?.length ?? 0;
          wanted = false;
          more = stream.push(piece) || wanted;
          if (!keeping) changed();
          if (piece === null) return;
        }
      } catch (error) {
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      } finally {
        pumping = false;
      }
    }
    return new Readable({
      read() {
        wanted = true;
        void pump(this);
      },
      destroy(error, callback) {
        leave(reader);
        callback(error);
      },
    });
  }

  return {
    async read(signal) {
      const reader = { position: 0 };
      readers.add(reader);
      const gone = () => leave(reader);
      if (signal?.aborted) gone();
      signal?.addEventListener('abort', gone, { once: true });
      try {
        await begun;
        if (!readers.has(reader)) throw aborted();
        const stream = streamOf(reader);
        stream.once('close', () => signal?.removeEventListener('abort', gone));
        return stream;
      } catch (error) {
        signal?.removeEventListener('abort', gone);
        leave(reader);
        throw signal?.aborted ? aborted() : error;
      }
    },
  };
}
