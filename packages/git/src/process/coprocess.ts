/** Long-lived helper processes, at most one of a kind per repository, ended when idle or when too many. */
import { GitError } from '../errors.ts';
import type { GitProcess } from './spawn.ts';

export interface Coprocess {
  /** Requests that have no answer yet. */
  pending(): number;
  alive(): boolean;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

/** Tells when a helper could not be started or has ended, for whatever reason; resolves when it is gone. */
export function gone(
  { child, stdin }: Pick<GitProcess, 'child' | 'stdin'>,
  fail: (error: GitError) => void,
  ended: (code: number | null) => GitError,
): Promise<void> {
  // What it did not read is told by its end.
  stdin?.on('error', () => {});
  child.on('error', (error) => fail(new GitError('unavailable', `git could not be started: ${error.message}`)));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      fail(ended(code));
      resolve();
    });
  });
}

export interface Pool {
  /** The live helper of this kind for this key, started when there is none. */
  get<T extends Coprocess>(key: string, kind: string, start: () => T): T;
  /** Ends all helpers of one repository or quarantine. */
  closeKey(key: string): void;
  size(): number;
  close(): Promise<void>;
}

interface Entry {
  key: string;
  process: Coprocess;
  usedAt: number;
}

export function createPool(options: { max: number; idleMs: number }): Pool {
  // Insertion order is order of use: the first entry is the least recently used.
  const entries = new Map<string, Entry>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function end(id: string, entry: Entry): Promise<void> {
    entries.delete(id);
    return entry.process.close();
  }

  function sweep(): void {
    const limit = Date.now() - options.idleMs;
    for (const [id, entry] of entries) {
      if (entry.process.pending() === 0 && entry.usedAt <= limit) void end(id, entry);
    }
    if (entries.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  }

  function makeRoom(): void {
    for (const [id, entry] of entries) {
      if (entries.size < options.max) return;
      if (entry.process.pending() === 0) void end(id, entry);
    }
  }

  return {
    get<T extends Coprocess>(key: string, kind: string, start: () => T): T {
      if (closed) throw new Error('git was closed');
      const id = `${kind}:${key}`;
      const known = entries.get(id);
      if (known?.process.alive()) {
        known.usedAt = Date.now();
        entries.delete(id);
        entries.set(id, known);
        // The kind in the id decides the type: each kind has one template.
        return known.process as T;
      }
      entries.delete(id);
      makeRoom();
      const process = start();
      entries.set(id, { key, process, usedAt: Date.now() });
      if (!timer) {
        timer = setInterval(sweep, Math.max(50, options.idleMs / 3));
        timer.unref();
      }
      return process;
    },
    closeKey(key) {
      for (const [id, entry] of entries) if (entry.key === key) void end(id, entry);
    },
    size: () => entries.size,
    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all([...entries].map(([id, entry]) => end(id, entry)));
    },
  };
}
