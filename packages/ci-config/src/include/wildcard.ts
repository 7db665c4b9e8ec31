/** Paths of `include` with wildcards. */
import { DEFAULT_LIMITS } from '../limits.ts';
import { compileGlob } from '../rules/glob.ts';

/**
 * The paths that an included path with wildcards stands for: `*` within a folder, `**` through any number of them, also
 * where a name follows at once (`ci/**.yml`). Takes time linear in pattern times path; none when braces make too many.
 */
export function filesMatching(pattern: string, paths: readonly string[]): string[] {
  const glob = compileGlob(pattern.replace(/\*\*(?!\/)/g, '**/*'), DEFAULT_LIMITS.globAlternatives);
  return glob ? paths.filter((path) => glob.matches(path)) : [];
}
