/**
 * Caches by project and key, kept by the server where it does that, else in a local folder. Only the runner's own uid can
 * read them: jobs get copies.
 */
import { createHash } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { collect } from './archive/collect.ts';
import { extractZip } from './archive/extract.ts';
import { writeZip } from './archive/zip.ts';
import { messageOf } from './errors.ts';
import type { Account } from './executors/types.ts';
import type { JobCache } from './protocol.ts';
import { expand, type Variables } from './variables.ts';

/** Caches that the server keeps. Failures are thrown. */
export type CacheStore = {
  /** Puts the cache of the key into the file; false when there is none. */
  restore(key: string, file: string, signal: AbortSignal): Promise<boolean>;
  save(key: string, file: string, signal: AbortSignal): Promise<void>;
};

export type CacheContext = {
  workspace: string;
  /** The project's cache folder. */
  caches: string;
  /** The runner's alone, for archives on their way. */
  spool: string;
  store?: CacheStore | undefined;
  end: AbortSignal;
  account: Account | undefined;
  get: Variables['get'];
  untracked(): Promise<string[]>;
  say(message: string): void;
};

/** Caches that are restored before the script. */
export function cachesToRestore(caches: JobCache[], get: Variables['get']): JobCache[] {
  return caches.filter((cache) => isUsed(cache) && policyOf(cache, get) !== 'push');
}

/** A policy may be in a variable. */
const policyOf = ({ policy }: JobCache, get: Variables['get']): string => expand(policy ?? '', get);

/** Caches that are saved after a script with this outcome. */
export function cachesToSave(caches: JobCache[], success: boolean, get: Variables['get']): JobCache[] {
  return caches.filter(
    (cache) =>
      isUsed(cache) &&
      policyOf(cache, get) !== 'pull' &&
      (cache.when === 'always' || (cache.when === 'on_failure' ? !success : success)),
  );
}

function isUsed(cache: JobCache): boolean {
  return (cache.paths?.length ?? 0) > 0 || cache.untracked === true;
}

/** The key that is tried last for every cache. It is nobody's way to those of protected branches and tags. */
function lastKey(get: Variables['get']): string[] {
  const key = get('CACHE_FALLBACK_KEY') ?? '';
  return key === '' || key.endsWith('-protected') ? [] : [key];
}

/** Restores the cache of the key, else of the first fallback key that has one. Never fails a job. */
export async function restoreCache(cache: JobCache, context: CacheContext): Promise<void> {
  const { get, say } = context;
  const keys = [cache.key || 'default', ...(cache.fallback_keys ?? []), ...lastKey(get)];
  for (const key of keys.map((text) => expand(text, get))) {
    try {
      const file = await found(key, context);
      if (!file) {
        say(`No cache for ${key}`);
        continue;
      }
      const count = await extractZip(file, context.workspace, context.account);
      say(`Restored ${count} files of the cache ${key}`);
    } catch (error) {
      say(`WARNING: the cache ${key} could not be restored: ${messageOf(error)}`);
    }
    return;
  }
}

/** The file with the cache of a key, or undefined. */
async function found(key: string, { caches, spool, store, end }: CacheContext): Promise<string | undefined> {
  if (store) {
    const file = join(spool, 'cache.zip');
    return (await store.restore(key, file, end)) ? file : undefined;
  }
  const file = cacheFile(caches, key);
  return (await stat(file).catch(() => undefined)) ? file : undefined;
}

/** Saves a cache; another job that saves the same key meanwhile wins or loses as a whole. Never fails a job. */
export async function saveCache(cache: JobCache, context: CacheContext): Promise<void> {
  const { get, say, workspace, caches } = context;
  const key = expand(cache.key || 'default', get);
  try {
    const paths = (cache.paths ?? []).map((text) => expand(text, get)).filter(Boolean);
    const untracked = cache.untracked ? await context.untracked() : [];
    const entries = await collect(workspace, { paths, exclude: [], untracked }, (message) =>
      say(`WARNING: ${message}`),
    );
    if (entries.length === 0) return say(`Nothing to save in the cache ${key}`);
    const { store, end, spool } = context;
    if (!store) await mkdir(caches, { recursive: true, mode: 0o700 });
    const target = cacheFile(caches, key);
    const partial = store ? join(spool, 'cache.zip') : `${target}.${crypto.randomUUID()}`;
    try {
      await writeZip(workspace, entries, partial);
      if (store) await store.save(key, partial, end);
      else await rename(partial, target);
    } finally {
      await rm(partial, { force: true });
    }
    say(`Saved ${entries.length} files and directories in the cache ${key}`);
  } catch (error) {
    say(`WARNING: the cache ${key} could not be saved: ${messageOf(error)}`);
  }
}

// Keys are people's text: the file's name is a digest of it.
function cacheFile(caches: string, key: string): string {
  return join(caches, `${createHash('sha256').update(key).digest('hex')}.zip`);
}
