/** Cache keys from the versions of files. */
import { createHash } from 'node:crypto';
import type { Cache, FileVersion } from '../keywords/cache.ts';
import type { Paths } from '../rules/paths.ts';
import type { PlanCache } from './plan.ts';

/** What stands for a file's content, or the commit that changed it last; null when there is no such file. */
export type VersionOf = (path: string, of: FileVersion) => Promise<string | null>;

/** `prefix-DIGEST`, the digest being over the versions of the files that exist, or the word `default`. */
export async function planCache(cache: Cache, paths: Paths, versionOf: VersionOf): Promise<PlanCache> {
  const { key, ...rest } = cache;
  if (key.kind === 'text') return { key: key.text, ...rest };
  const files = (await Promise.all(key.files.map((file) => paths.matching(file)))).flat();
  const versions = (await Promise.all([...new Set(files)].map((file) => versionOf(file, key.version)))).filter(
    (version) => version !== null,
  );
  const sorted = [...new Set(versions)].sort();
  const digest = sorted.length > 0 ? createHash('sha1').update(sorted.join('-')).digest('hex') : 'default';
  return { key: key.prefix ? `${key.prefix}-${digest}` : digest, ...rest };
}
