/** A job's log: masked, limited, kept until the end, and sent while it grows. */
import { crc32 } from 'node:zlib';
import type { JobStatus, RunnerClient } from '../client.ts';
import type { Author } from '../log.ts';
import type { JobPayload } from '../protocol.ts';
import type { Masker } from './masker.ts';

/** Default limit of a log in bytes; the rest is dropped and the job goes on. */
const DEFAULT_OUTPUT_LIMIT = 4 * 1024 * 1024;
const LARGEST_PATCH = 1024 * 1024;
// Output after a quiet moment is sent at once; a few such moments may follow each other before the interval rules.
const BURST = 4;
const BURST_PAUSE = 20;
// Jobs that are over before send their log with their end: another request costs more than a short job.
const FIRST_PAUSE = 120;
const SHORTEST_INTERVAL = 200;
// What the runner says about the stages goes with the output that follows: a request for each costs more than a short job.
const RUNNER_PAUSE = 200;
const LONGEST_INTERVAL = 900_000;

export type Trace = {
  /** Output of the job is sent at once where it can be. */
  write(chunk: Buffer | string, author?: Author): void;
  /** Sends all that is there, retrying as long as `patient` says. Resolves when the server has it or the job is gone. */
  flush(patient: () => boolean): Promise<void>;
  /** What the server does not have yet, for another way to it; null where that is nothing, more than `most` bytes, or not certain. */
  rest(most: number): Promise<{ start: number; data: Buffer } | null>;
  /** Ends the stream: what the masker kept back is added. */
  close(): void;
  /** Sends the whole log again, from its first byte. */
  rewind(): void;
  checksum(): { checksum: string; bytesize: number };
};

export type TraceOptions = {
  client: Pick<RunnerClient, 'patchTrace'>;
  job: JobPayload;
  masker: Masker;
  limit?: number;
  /** Called after each answer of the server. */
  onStatus(status: JobStatus): void;
};

/** A log that patches itself to the server. No timer runs while there is nothing to send. */
export function createTrace({ client, job, masker, limit = DEFAULT_OUTPUT_LIMIT, onStatus }: TraceOptions): Trace {
  let buffer: Buffer = Buffer.alloc(16 * 1024);
  let size = 0;
  let full = false;
  let sent = 0;
  let interval = SHORTEST_INTERVAL;
  let credit = BURST;
  let lastSend = Number.NEGATIVE_INFINITY;
  let firstOutput: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Whether output of the job is there that was not sent. */
  let urgent = false;
  let urgentTimer = false;
  let active: Promise<void> | undefined;
  let gone = false;
  let failures = 0;

  function store(chunk: Buffer): void {
    if (size + chunk.length > buffer.length) {
      const larger = Buffer.alloc(Math.max(buffer.length * 2, size + chunk.length));
      buffer.copy(larger, 0, 0, size);
      buffer = larger;
    }
    chunk.copy(buffer, size);
    size += chunk.length;
  }

  function append(chunk: Buffer): void {
    if (size + chunk.length <= limit) {
      store(chunk);
      return;
    }
    store(chunk.subarray(0, limit - size));
    full = true;
    const text = `\n\u001b[33;1mJob's log exceeded limit of ${limit} bytes.\nThe job goes on; its further output is dropped.\u001b[0;m\n`;
    store(Buffer.from(text));
  }

  function schedule(): void {
    if (active || gone || sent >= size) return;
    if (timer && (urgentTimer || !urgent)) return;
    clearTimeout(timer);
    const since = performance.now() - lastSend;
    credit = Math.min(BURST, credit + since / interval);
    const slow = failures > 0 || credit < 1;
    const burst = sent === 0 ? FIRST_PAUSE - (performance.now() - (firstOutput ?? 0)) : BURST_PAUSE - since;
    const wait = slow ? interval - since : urgent ? burst : RUNNER_PAUSE;
    urgentTimer = urgent;
    timer = setTimeout(
      () => {
        timer = undefined;
        void sendOne();
      },
      Math.max(wait, 0),
    );
  }

  function sendOne(): Promise<void> {
    credit = Math.max(credit - 1, 0);
    lastSend = performance.now();
    active ??= patch().finally(() => {
      active = undefined;
      schedule();
    });
    return active;
  }

  async function patch(): Promise<void> {
    const start = sent;
    const chunk = buffer.subarray(start, Math.min(size, start + LARGEST_PATCH));
    urgent = start + chunk.length < size;
    try {
      const answer = await client.patchTrace(job, start, chunk);
      if (answer.kind === 'gone') return setGone();
      if (answer.kind === 'retry') return backOff(answer.after);
      failures = 0;
      sent = Math.min(Math.max(answer.next, 0), size);
      interval = Math.min(Math.max(answer.interval ?? SHORTEST_INTERVAL, SHORTEST_INTERVAL), LONGEST_INTERVAL);
      onStatus(answer.status);
    } catch {
      backOff(undefined);
    }
  }

  function backOff(after: number | undefined): void {
    failures++;
    interval = after ?? Math.min(100 * 2 ** failures, 30_000);
  }

  function setGone(): void {
    gone = true;
    onStatus('gone');
  }

  return {
    write(chunk, author = 'job') {
      if (full || gone) return;
      urgent ||= author === 'job';
      if (urgent) firstOutput ??= performance.now();
      const safe = masker.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      if (safe.length > 0) append(safe);
      schedule();
    },
    async flush(patient) {
      clearTimeout(timer);
      timer = undefined;
      for (;;) {
        await active;
        clearTimeout(timer);
        timer = undefined;
        if (gone || sent >= size) return;
        if (failures > 0) {
          if (!patient()) return;
          await new Promise((resolve) => setTimeout(resolve, interval));
        }
        await sendOne();
      }
    },
    async rest(most) {
      await active;
      clearTimeout(timer);
      timer = undefined;
      if (gone || failures > 0 || sent >= size || size - sent > most) return null;
      return { start: sent, data: buffer.subarray(sent, size) };
    },
    close() {
      if (!full) append(masker.end());
    },
    rewind() {
      sent = 0;
    },
    checksum() {
      const value = crc32(buffer.subarray(0, size)).toString(16).padStart(8, '0');
      return { checksum: `crc32:${value}`, bytesize: size };
    },
  };
}
