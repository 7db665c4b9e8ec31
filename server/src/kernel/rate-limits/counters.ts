/**
 * Counts requests per limit, subject and window. A process works from slices of the limit: the first one of a window is
 * its own, every further one is leased from PostgreSQL, so that inside a slice nothing is asked and all processes together
 * stay within the limit and one slice each. Limits below 20 have no slices: every request is counted there.
 */
import { createHash } from 'node:crypto';

export interface LeaseRequest {
  readonly name: string;
  readonly subject: string;
  readonly endsAt: Date;
  readonly limit: number;
  /** What was used without being leased: counted in any case. */
  readonly used: number;
  /** What is asked for besides; less is given near the limit. */
  readonly slice: number;
}

/** The part of a limit that PostgreSQL keeps: what all processes have of a window now, and how much of it is new. */
export type Lease = (request: LeaseRequest) => Promise<{ readonly taken: number; readonly granted: number }>;

export interface CountersOptions {
  readonly lease: Lease;
  /** Told once when leases begin to fail, and once when they work again. */
  readonly log: { warn(details: object, message: string): void; info(details: object, message: string): void };
  /** Windows kept, over all limits. */
  readonly largest?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** One request, counted. */
export interface Count {
  readonly allowed: boolean;
  readonly limit: number;
  readonly seconds: number;
  /** Requests in the window as far as this process knows, this one included. */
  readonly observed: number;
  /** When the window ends, in seconds since 1970. */
  readonly resetAt: number;
  /** Whole seconds until then, at least 1. */
  readonly retryAfter: number;
}

export interface Counters {
  /** Counts one request. Answers at once inside a slice. */
  take(name: string, subject: string, limit: number, seconds: number): Count | Promise<Count>;
  /** Windows kept now. */
  size(): number;
}

interface Window {
  limit: number;
  readonly endsAt: number;
  /** What is left of the first slice, and what was used of it without being told. */
  free: number;
  untold: number;
  /** What is left of leased slices. */
  leased: number;
  /** What all processes took, as last heard. */
  taken: number;
  refused: number;
  full: boolean;
  asking: Promise<void> | null;
  /** Requests that wait for the next slice. */
  waiting: number;
}

const exactBelow = 20;
const smallestSlice = 10;
/** Subjects that people write are of any length. */
const longestSubject = 100;
/**
 * How long a request waits for a lease, and how long none is asked for after a failure. Long enough for a busy pool: limits
 * must hold most of all under load.
 */
const patienceMilliseconds = 2000;
const pauseMilliseconds = 1000;

const sliceOf = (limit: number): number => Math.max(smallestSlice, Math.floor(limit / 10));

export function createCounters(options: CountersOptions): Counters {
  const { lease, log } = options;
  // Read at each call: tests stop the clock after a process has started.
  const now = options.now ?? (() => Date.now());
  const half = Math.max(1, Math.floor((options.largest ?? 50_000) / 2));
  // Two generations instead of an order of use: a full young one becomes the old one, what the old one still held goes.
  let young = new Map<string, Window>();
  let old = new Map<string, Window>();
  let failing = false;
  let pausedUntil = 0;

  function windowOf(key: string, limit: number, endsAt: number): Window {
    let window = young.get(key);
    if (!window) {
      window = old.get(key);
      if (young.size >= half) {
        old = young;
        young = new Map();
      }
      if (window) young.set(key, window);
    }
    if (!window || window.endsAt !== endsAt) {
      const free = limit < exactBelow ? 0 : sliceOf(limit);
      window = {
        limit,
        endsAt,
        free,
        untold: 0,
        leased: 0,
        taken: 0,
        refused: 0,
        full: false,
        asking: null,
        waiting: 0,
      };
      young.set(key, window);
    } else if (window.limit !== limit) {
      window.limit = limit;
      window.full = false;
      window.free = 0;
      window.leased = 0;
    }
    return window;
  }

  function succeeded(): void {
    if (!failing) return;
    failing = false;
    log.info({ part: 'rate-limits' }, 'rate limits are counted over all processes again');
  }

  function failed(error: unknown): void {
    pausedUntil = now() + pauseMilliseconds;
    if (failing) return;
    failing = true;
    log.warn({ err: error, part: 'rate-limits' }, 'rate limits cannot be counted over all processes: requests pass');
  }

  /** Asks for a slice; null when there is no answer in time. A late one is counted there all the same. */
  async function ask(
    name: string,
    subject: string,
    window: Window,
    used: number,
    slice: number,
  ): Promise<{ taken: number; granted: number } | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${patienceMilliseconds} ms`)), patienceMilliseconds);
    });
    const { limit } = window;
    const endsAt = new Date(window.endsAt * 1000);
    const asked = lease({ name, subject, endsAt, limit, used, slice });
    asked.catch(() => undefined);
    try {
      const answered = await Promise.race([asked, late]);
      succeeded();
      return answered;
    } catch (error) {
      failed(error);
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Leases the next slice, and tells what was used of the first one. */
  async function nextSlice(name: string, subject: string, window: Window): Promise<void> {
    const { limit, untold } = window;
    // Below the limit of slices only what is wanted now: concurrent requests share one question.
    const slice = limit < exactBelow ? window.waiting : sliceOf(limit);
    const answered = await ask(name, subject, window, untold, slice);
    if (answered === null || window.limit !== limit) return;
    window.untold -= untold;
    window.taken = answered.taken;
    window.leased = answered.granted;
    window.full = answered.granted === 0;
  }

  function answer(window: Window, seconds: number, allowed: boolean, at: number): Count {
    if (!allowed) window.refused += 1;
    const used = Math.min(window.taken, window.limit) - window.leased + window.untold;
    return {
      allowed,
      limit: window.limit,
      seconds,
      observed: allowed ? Math.max(1, used) : window.limit + window.refused,
      resetAt: window.endsAt,
      retryAfter: Math.max(1, Math.ceil(window.endsAt - at)),
    };
  }

  /** True and false are decided; null needs the shared count. */
  function local(window: Window, at: number): boolean | null {
    if (window.full) return false;
    if (window.free > 0) {
      window.free -= 1;
      window.untold += 1;
      return true;
    }
    if (window.leased > 0) {
      window.leased -= 1;
      return true;
    }
    return at * 1000 < pausedUntil ? true : null;
  }

  async function shared(name: string, subject: string, window: Window): Promise<boolean> {
    for (;;) {
      window.waiting += 1;
      window.asking ??= nextSlice(name, subject, window).finally(() => {
        window.asking = null;
      });
      await window.asking.finally(() => {
        window.waiting -= 1;
      });
      const decided = local(window, now() / 1000);
      if (decided !== null) return decided;
    }
  }

  return {
    take(name, given, limit, seconds) {
      const at = now() / 1000;
      const endsAt = (Math.floor(at / seconds) + 1) * seconds;
      const subject = given.length <= longestSubject ? given : createHash('sha256').update(given).digest('base64url');
      const window = windowOf(`${name} ${subject}`, limit, endsAt);
      const decided = local(window, at);
      if (decided !== null) return answer(window, seconds, decided, at);
      return shared(name, subject, window).then((allowed) => answer(window, seconds, allowed, at));
    },
    size: () => young.size + old.size,
  };
}
