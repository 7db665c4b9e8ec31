/** How many bytes of buffers that nobody needs any more wait for the garbage collector. */
import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Every chunk of a stream is a buffer of its own, and V8 frees young ones when their sum reaches a bound that it derives from
 * this number. With its own, 32, they wait until they are 64 to 79 MB (measured): every process grows by that as soon as anything
 * large passes through it, a push, an object, an artifact. With 2 it is 9 to 11 MB, and memory that is used again at once is
 * faster: an upload of 1 GB took 4.6 s in place of 10.2.
 */
const megabytes = 2;

/** Keeps what waits small. The flag is of V8 13 and later; without it a process is merely larger. */
export function boundWaitingBuffers(): void {
  if (Number(process.versions.v8.split('.')[0]) >= 13)
    v8.setFlagsFromString(`--scavenger-max-new-space-capacity-mb=${megabytes}`);
}

const lookMs = 5000;
const worthBytes = 16 * 1024 * 1024;

/** What decides about a collection: bytes of buffers now, and how busy the process was since it was asked last, 0 to 1. */
export interface BufferUse {
  bytes(): number;
  busy(): number;
}

/**
 * A look that collects what is worth it. Buffers that lived long enough to become old, because a slow client kept them, are
 * freed by a full collection only, and V8 begins one for them when they have grown by 64 MB. A process that served eight
 * clones at once stayed at 371 MB for it, and had 181 after a collection (measured). One takes tens of milliseconds, so it
 * waits until there is little to do.
 */
export function bufferCollector(collect: () => void, { bytes, busy }: BufferUse): () => void {
  let left = bytes();
  return () => {
    const now = bytes();
    left = Math.min(left, now);
    if (busy() > 0.5 || now - left < worthBytes) return;
    collect();
    left = bytes();
  };
}

/** Looks every few seconds, or every `ms`, until the process ends. */
export function collectWaitingBuffers(ms = lookMs): void {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let before = performance.eventLoopUtilization();
  const look = bufferCollector(collect, {
    bytes: () => process.memoryUsage().arrayBuffers,
    busy: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  });
  setInterval(look, ms).unref();
}
