/** Finding paths by a few of their letters. Pure. */

/**
 * How well the letters of `wanted` are found in `path`, in their order; null where they are not. Letters that follow one
 * another, and those at the start of a name, count more; what is found in the name of the file counts more than folders.
 */
function score(path: string, wanted: string): number | null {
  const text = path.toLowerCase();
  const name = text.lastIndexOf('/') + 1;
  let sum = 0;
  let last = -2;
  // From the end: the name of the file is where people look first.
  let at = text.length;
  for (let index = wanted.length - 1; index >= 0; index -= 1) {
    at = text.lastIndexOf(wanted.charAt(index), at - 1);
    if (at === -1) return null;
    if (at === last - 1) sum += 4;
    if (at >= name) sum += 2;
    if (at === 0 || /[/._-]/.test(text.charAt(at - 1))) sum += 3;
    last = at;
    if (at === 0 && index > 0) return null;
  }
  if (text.slice(name).includes(wanted)) sum += wanted.length * 4;
  return sum - path.length / 100;
}

/** The best paths first; the first ones as they are while nothing is wanted. */
export function bestPaths(paths: readonly string[], typed: string, limit: number): string[] {
  const wanted = typed.toLowerCase().replaceAll(/\s+/g, '');
  if (wanted === '') return paths.slice(0, limit);
  return paths
    .map((path) => ({ path, points: score(path, wanted) }))
    .filter((found): found is { path: string; points: number } => found.points !== null)
    .sort((a, b) => b.points - a.points)
    .slice(0, limit)
    .map((found) => found.path);
}
