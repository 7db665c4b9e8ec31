/** Cache keys from the versions of files. */
import { createHash } from 'node:crypto';
import type { Cache } from '../keywords/cache.ts';
import type { Paths } from '../rules/paths.ts';
import type { PlanCache } from './plan.ts';

/** Something that changes with a file's content: its last commit, or its blob; null when there is none. */
export type FileCommit = (path: string) => Promise<string | null>;

/** `prefix-DIGEST`, the digest being over the versions of the files that exist, or the word `default`. */
export async function planCache(cache: Cache, paths: Paths, fileCommit: FileCommit): Promise<PlanCache> {
  const { key, ...rest } = cache;
  if (key.kind === 'text') return { key: key.text, ...rest };
  const files = (await Promise.all(key.files.map((file) => paths.matching(file)))).flat();
  const versions = (await Promise.all([...new Set(files)].map(fileCommit))).filter((version) => version !== null);
  const sorted = [...new Set(versions)].sort();
  const digest = sorted.length > 0 ? createHash('sha1').update(sorted.join('-')).digest('hex') : 'default';
  return { key: key.prefix ? `${key.prefix}-${digest}` : digest, ...rest };
}
