/**
 * Answers to fetches, kept on disk: the same request for the same references is made once. Written while the first client
 * is served; who asks meanwhile reads along. Entries get their name when they are complete, carry a checksum that is
 * checked before a process believes in them, and go least recently used first. Without room on the disk nothing is kept,
 * and everybody is served.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createLru } from '../lru.ts';
import type { GitStream } from '../process/run.ts';
import { randomSuffix } from '../refs/files.ts';
import type { RepoPath } from '../types.ts';
import { openEntry, writeEntry } from './answer-entry.ts';
import { createRun, type Run } from './answer-run.ts';

export interface AnswerCacheOptions {
  /** Made when it is first needed. Processes may share it. */
  directory: string;
  /** Bytes on disk; one answer takes at most half of them. */
  maxBytes: number;
}

export interface Asked {
  repository: RepoPath;
  /** Everything that the answer depends on. */
  digest: string;
  /** Callers share work under way only with their like: people do not wait behind crowds. */
  sharing: string;
}

export interface AnswerCache {
  /** The answer: a kept one, the one that is being made for others, or one that `make` makes. */
  answer(asked: Asked, make: (signal: AbortSignal) => Promise<GitStream>, signal?: AbortSignal): Promise<Readable>;
  /** Removes what is kept for a repository. */
  forget(repository: RepoPath): Promise<void>;
  /** Removes what dead processes and removed repositories left, and what is over the limit. */
  sweep(): Promise<void>;
  /** Answers by where they came from, since the start. */
  counts(): Readonly<Record<'kept' | 'shared' | 'made', number>>;
}

/** Answers up to this size are kept in memory alone: a file for each would cost more than it saves. */
const smallBytes = 128 * 1024;
const smallTotal = 16 * 1024 * 1024;
/** Unfinished files that nobody has written to for so long are of dead processes. */
const staleMilliseconds = 3_600_000;
const touchMilliseconds = 60_000;
const sweepMilliseconds = 3_600_000;
const mostVerified = 50_000;
/** Holds the path of the repository whose answers are beside it. */
const ownerFile = 'repository';

const folderOf = (repository: RepoPath) => createHash('sha256').update(repository).digest('hex').slice(0, 32);
const missing = () => null;

export function createAnswerCache({ directory, maxBytes }: AnswerCacheOptions): AnswerCache {
  const small = createLru<Buffer>(smallTotal);
  const runs = new Map<string, Run>();
  /** Files whose checksum was right, by path: what they looked like then. */
  const verified = new Map<string, string>();
  const counts = { kept: 0, shared: 0, made: 0 };
  /** Bytes on disk; null until they were counted. */
  let total: number | null = null;
  /** Bytes since the last look at everything began: it may have missed them. */
  let arrived = 0;
  let swept = 0;
  let sweeping: Promise<void> | null = null;

  async function entries() {
    const found: { file: string; size: number; used: number; temporary: boolean }[] = [];
    for (const folder of await readdir(directory).catch(() => [])) {
      for (const name of await readdir(join(directory, folder)).catch(() => [])) {
        if (name === ownerFile) continue;
        const file = join(directory, folder, name);
        const info = await stat(file).catch(missing);
        if (info) found.push({ file, size: info.size, used: info.mtimeMs, temporary: name.startsWith('tmp-') });
      }
    }
    return found;
  }

  async function sweepNow(): Promise<void> {
    arrived = 0;
    for (const folder of await readdir(directory).catch(() => [])) {
      const owner = await readFile(join(directory, folder, ownerFile), 'utf8').catch(missing);
      if (owner !== null && (await stat(owner).catch(missing)) === null)
        await rm(join(directory, folder), { recursive: true, force: true });
    }
    const found = await entries();
    let left = 0;
    const kept: typeof found = [];
    for (const entry of found) {
      if (entry.temporary && Date.now() - entry.used > staleMilliseconds) await unlink(entry.file).catch(missing);
      else if (!entry.temporary) {
        kept.push(entry);
        left += entry.size;
      }
    }
    if (left > maxBytes) {
      kept.sort((a, b) => a.used - b.used);
      // Some more than needed, or the next answer would look at everything again.
      for (const { file, size } of kept) {
        if (left <= maxBytes * 0.9) break;
        await unlink(file).catch(missing);
        verified.delete(file);
        left -= size;
      }
    }
    total = left + arrived;
    swept = Date.now();
  }

  const sweep = (): Promise<void> => {
    sweeping ??= sweepNow().finally(() => {
      sweeping = null;
      if (arrived > 0 && (total ?? 0) > maxBytes) void sweep().catch(missing);
    });
    return sweeping;
  };

  function stored(file: string, stamp: string, size: number): void {
    if (verified.size > mostVerified) verified.clear();
    verified.set(file, stamp);
    arrived += size;
    if (total !== null) total += size;
    // Now and then in any case: others use the directory too, and repositories go.
    if (total === null || total > maxBytes || Date.now() - swept > sweepMilliseconds) void sweep().catch(missing);
  }

  /** A kept answer; null when there is none that is whole. */
  async function kept(file: string, digest: string): Promise<Readable | null> {
    const opened = await openEntry(file, digest, verified.get(file));
    if (opened === null) {
      verified.delete(file);
      return null;
    }
    verified.set(file, opened.stamp);
    if (Date.now() - opened.used > touchMilliseconds) {
      const now = new Date();
      await utimes(file, now, now).catch(missing);
      // Its time is a part of what it looks like.
      verified.set(file, (await opened.stampNow()) ?? opened.stamp);
    }
    return opened.stream();
  }

  /** A file for an answer that grows; null where none can be made. */
  async function spool(asked: Asked, folder: string) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, ownerFile), asked.repository, { flag: 'wx', mode: 0o600 }).catch(
        (error: unknown) => {
          if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
        },
      );
      return await writeEntry(join(folder, `tmp-${randomSuffix()}`), asked.digest);
    } catch {
      return null;
    }
  }

  return {
    async answer(asked, make, signal) {
      const folder = join(directory, folderOf(asked.repository));
      const file = join(folder, asked.digest);
      const inMemory = small.get(file);
      if (inMemory) {
        counts.kept += 1;
        return Readable.from([inMemory], { objectMode: false });
      }
      const shared = `${file}:${asked.sharing}`;
      if (!runs.has(shared)) {
        const found = await kept(file, asked.digest);
        if (found) {
          counts.kept += 1;
          return found;
        }
      }
      const underway = runs.get(shared);
      if (underway) {
        counts.shared += 1;
        return await underway.read(signal);
      }
      counts.made += 1;
      const run = createRun({
        make,
        spoolFrom: smallBytes,
        spoolUpTo: maxBytes / 2,
        spool: () => spool(asked, folder),
        // Nobody joins what is not kept: it is sent at the pace of its readers.
        closed: () => {
          if (runs.get(shared) === run) runs.delete(shared);
        },
        async finished(result) {
          if (result.small) small.set(file, result.small, result.small.length);
          else if (result.entry) {
            const stamp = await result.entry.publish(file);
            if (stamp !== null) stored(file, stamp, result.size);
          }
        },
      });
      runs.set(shared, run);
      return await run.read(signal);
    },
    async forget(repository) {
      const folder = join(directory, folderOf(repository));
      for (const file of verified.keys()) if (file.startsWith(`${folder}/`)) verified.delete(file);
      await rm(folder, { recursive: true, force: true });
    },
    sweep,
    counts: () => counts,
  };
}
