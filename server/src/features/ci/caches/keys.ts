/** Keys of caches as runners get them. */

/** Of keys where protected branches and tags have caches of their own. */
export const separatedEnding = (isProtected: boolean): string => (isProtected ? '-protected' : '-non_protected');

/** The key of the configuration with what the project adds: clearing the caches of a project changes all keys. */
export function cacheKey(
  key: string,
  project: { readonly jobs_cache_index: number; readonly ci_separated_caches: boolean },
  { isProtected, unprotect }: { readonly isProtected: boolean; readonly unprotect: boolean },
): string {
  const cleared = project.jobs_cache_index > 0 ? `-${project.jobs_cache_index}` : '';
  // What is shared is where other branches find it, whether or not they say the same.
  const ending = project.ci_separated_caches ? separatedEnding(isProtected && !unprotect) : '';
  return key + cleared + ending;
}
