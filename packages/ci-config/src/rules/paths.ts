/** What `changes` and `exists` ask: does any of these paths match any of those patterns? Answers are remembered. */
import type { Limits } from '../limits.ts';
import { compileGlob, type Glob } from './glob.ts';
import type { PathRegexp } from './path-regexp.ts';

export type PathSource = {
  /**
   * Paths that the pipeline's commits change, against `compareTo` when given; null when that is not known, and
   * `unknown ref` when there is nothing of that name.
   */
  readonly changedPaths: (compareTo?: string) => Promise<readonly string[] | null | 'unknown ref'>;
  /** Paths of the files in the commit. */
  readonly listPaths: () => Promise<readonly string[]>;
  /** Paths of the files in another project; null when it cannot be read. Absent where there are no others. */
  readonly listPathsIn?: (place: OtherProject) => Promise<readonly string[] | null>;
};
/** Another project, at a ref or its default branch. */
export type OtherProject = { readonly project: string; readonly ref: string | null };

/** Globs, or one regular expression. */
export type Wanted = readonly string[] | PathRegexp;

export type Paths = {
  changed(wanted: Wanted, compareTo: string | undefined): Promise<boolean | 'unknown ref'>;
  /** Null when the other project cannot be read. */
  existIn(place: OtherProject, wanted: Wanted): Promise<boolean | null>;
  exist(wanted: Wanted): Promise<boolean>;
  /** The files that a pattern stands for; a pattern without wildcards stands for itself when the file exists. */
  matching(pattern: string): Promise<string[]>;
};

type Listing = {
  readonly list: readonly string[];
  readonly set: ReadonlySet<string>;
  readonly answers: Map<string, boolean>;
  /** The directories of the files, once somebody has asked for one. */
  directories?: Listing;
};

export function pathMatcher(source: PathSource, limits: Limits): Paths {
  const changes = new Map<string, Promise<Listing | null | 'unknown ref'>>();
  const others = new Map<string, Promise<Listing | null>>();
  let files: Promise<Listing> | undefined;
  const globs = new Map<string, Glob | null>();
  let comparisons = 0;

  const globOf = (pattern: string): Glob | null => {
    let glob = globs.get(pattern);
    if (glob === undefined) {
      glob = compileGlob(pattern.replace(/^\.?\//, ''), limits.globAlternatives);
      globs.set(pattern, glob);
    }
    return glob;
  };
  const matches = (pattern: string, listing: Listing): boolean => {
    const before = listing.answers.get(pattern);
    if (before !== undefined) return before;
    const glob = globOf(pattern);
    let answer: boolean;
    if (glob?.literal != null) answer = listing.set.has(glob.literal);
    else {
      comparisons += listing.list.length;
      // As in the ecosystem: what is too expensive to find out counts as a match, so that no job is missed.
      answer = !glob || comparisons > limits.pathComparisons || listing.list.some((path) => glob.matches(path));
    }
    listing.answers.set(pattern, answer);
    return answer;
  };
  /** A path that ends in a slash is a directory, and there when a file is in it. */
  const isIn = (pattern: string, listing: Listing): boolean => {
    if (!pattern.endsWith('/')) return matches(pattern, listing);
    listing.directories ??= directoriesOf(listing.list);
    return matches(pattern.replace(/\/+$/, ''), listing.directories);
  };
  /** `one` says whether a glob matches. */
  const anyOf = (wanted: Wanted, listing: Listing, one: (pattern: string, listing: Listing) => boolean): boolean => {
    if (!('source' in wanted)) return wanted.some((pattern) => one(pattern, listing));
    comparisons += listing.list.length;
    return comparisons > limits.pathComparisons || listing.list.some((path) => wanted.test(path));
  };
  const allFiles = (): Promise<Listing> => {
    files ??= source.listPaths().then(listingOf);
    return files;
  };

  return {
    changed: async (wanted, compareTo) => {
      const key = compareTo ?? '';
      let listing = changes.get(key);
      if (!listing) {
        listing = source
          .changedPaths(compareTo)
          .then((list) => (list === null || list === 'unknown ref' ? list : listingOf(list)));
        changes.set(key, listing);
      }
      const known = await listing;
      if (known === 'unknown ref') return known;
      return known === null || anyOf(wanted, known, matches);
    },
    existIn: async (place, wanted) => {
      const key = `${place.ref ?? ''} ${place.project}`;
      const found =
        others.get(key) ??
        (source.listPathsIn?.(place) ?? Promise.resolve(null)).then((list) => list && listingOf(list));
      others.set(key, found);
      const known = await found;
      return known && anyOf(wanted, known, isIn);
    },
    exist: async (wanted) => anyOf(wanted, await allFiles(), isIn),
    matching: async (pattern) => {
      const known = await allFiles();
      const glob = globOf(pattern);
      if (!glob) return [];
      if (glob.literal !== null) return known.set.has(glob.literal) ? [glob.literal] : [];
      comparisons += known.list.length;
      return comparisons > limits.pathComparisons ? [] : known.list.filter((path) => glob.matches(path));
    },
  };
}

function directoriesOf(files: readonly string[]): Listing {
  const found = new Set<string>();
  for (const file of files) {
    // What is above a known directory is known, too.
    for (let at = file.lastIndexOf('/'); at > 0 && !found.has(file.slice(0, at)); at = file.lastIndexOf('/', at - 1))
      found.add(file.slice(0, at));
  }
  return listingOf([...found]);
}

function listingOf(list: readonly string[]): Listing {
  return { list, set: new Set(list), answers: new Map() };
}
