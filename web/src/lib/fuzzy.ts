/** Finding paths by a few of their letters. Pure. */

/** Where the letters are, from the end: the name of the file is where people look first. */
function placesOf(text: string, wanted: string): number[] | null {
  const places: number[] = [];
  let at = text.length;
  for (let index = wanted.length - 1; index >= 0; index -= 1) {
    at = at === 0 ? -1 : text.lastIndexOf(wanted.charAt(index), at - 1);
    if (at === -1) return null;
    places.push(at);
  }
  return places;
}

/**
 * How well the letters of `wanted` are found in `path`, in their order; null where they are not. Letters that follow one
 * another, and those at the start of a name, count more; what is found in the name of the file counts more than folders.
 */
function score(path: string, wanted: string): number | null {
  const text = path.toLowerCase();
  const name = text.lastIndexOf('/') + 1;
  const places = placesOf(text, wanted);
  if (!places) return null;
  let sum = 0;
  let last = -2;
  for (const at of places) {
    if (at === last - 1) sum += 4;
    if (at >= name) sum += 2;
    if (at === 0 || /[/._-]/.test(text.charAt(at - 1))) sum += 3;
    last = at;
  }
  if (text.slice(name).includes(wanted)) sum += wanted.length * 4;
  return sum - path.length / 100;
}

const lettersOf = (typed: string) => typed.toLowerCase().replaceAll(/\s+/g, '');

/** The best paths first; the first ones as they are while nothing is wanted. */
export function bestPaths(paths: readonly string[], typed: string, limit: number): string[] {
  const wanted = lettersOf(typed);
  if (wanted === '') return paths.slice(0, limit);
  return paths
    .map((path) => ({ path, points: score(path, wanted) }))
    .filter((found): found is { path: string; points: number } => found.points !== null)
    .sort((a, b) => b.points - a.points)
    .slice(0, limit)
    .map((found) => found.path);
}

/** A path in parts, those that hold what was typed marked: together in the name of the file where it stands there. */
export function markedPath(path: string, typed: string): { readonly text: string; readonly hit: boolean }[] {
  const wanted = lettersOf(typed);
  const text = path.toLowerCase();
  // Some letters are more than one in lower case; their places are others then.
  const whole = text.length === path.length ? text.indexOf(wanted, text.lastIndexOf('/') + 1) : -1;
  const found = text.length === path.length ? (placesOf(text, wanted) ?? []) : [];
  const hits = new Set(whole === -1 ? found : Array.from(wanted, (_, at) => whole + at));
  const parts: { text: string; hit: boolean }[] = [];
  for (const [at, letter] of path.split('').entries()) {
    const last = parts.at(-1);
    if (last?.hit === hits.has(at)) last.text += letter;
    else parts.push({ text: letter, hit: hits.has(at) });
  }
  return parts;
}
