/** What a search for files asks: a text, and filters among its words: of paths, of languages, of ids of contents. */
import { languageNamed, linearPattern } from '../../repository/index.ts';

const kinds = ['filename', 'path', 'extension', 'language', 'blob'] as const;
type FilterKind = (typeof kinds)[number];

export interface FileFilter {
  readonly kind: FilterKind;
  /** A star stands for any signs. */
  readonly glob: string;
  /** Leaves out what matches. */
  readonly negated: boolean;
}

export interface FileSearch {
  /** Without the filters. */
  readonly text: string;
  readonly filters: readonly FileFilter[];
  /** Whether upper and lower case are told apart. */
  readonly cased: boolean;
  /** Whether the filters of paths take the path. */
  readonly accepts: (path: string) => boolean;
}

/** Also as the reference's exact search writes them. */
const names: Readonly<Record<string, FilterKind>> = {
  ...Object.fromEntries(kinds.map((kind) => [kind, kind])),
  file: 'path',
  f: 'path',
  ext: 'extension',
  lang: 'language',
  l: 'language',
};
const filter = new RegExp(`(?<=^|\\s)(-?)(case|${Object.keys(names).join('|')}):("[^"]+"|\\S+)(?=\\s|$)`, 'g');
/** Most filters of one search; the others are parts of the text. */
const mostFilters = 20;

const sourceOf = (glob: string) =>
  glob
    .split('*')
    .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*');
const basename = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Whether a path matches; null for a filter that paths say nothing about. */
function pathMatcher({ kind, glob }: FileFilter): ((path: string) => boolean) | null {
  const source = sourceOf(glob);
  switch (kind) {
    case 'filename': {
      const matches = linearPattern(`(?i)${source}$`);
      return matches && ((path) => matches(basename(path)));
    }
    case 'extension': {
      const matches = linearPattern(`(?i)\\.${source}$`);
      return matches && ((path) => matches(basename(path)));
    }
    case 'path':
      return linearPattern(`(?i)${source}`);
    case 'language': {
      const matches = linearPattern(`(?i)^${source}$`);
      return matches && ((path) => matches(languageNamed(path) ?? ''));
    }
    default:
      return null;
  }
}

/** Whatever case the filters are in; one with a hyphen in front leaves out what it matches. */
export function fileSearch(search: string): FileSearch {
  const filters: FileFilter[] = [];
  let cased = false;
  let parts = 0;
  const text = search.replace(filter, (whole, minus: string, name: string, value: string) => {
    if (parts >= mostFilters) return whole;
    parts += 1;
    const glob = value.replace(/^"(.+)"$/, '$1');
    const kind = names[name];
    if (kind) filters.push({ kind, glob, negated: minus !== '' });
    else cased = /^(yes|true)$/i.test(glob);
    return '';
  });
  const accepts = filters.flatMap((each) => {
    const matches = pathMatcher(each);
    return matches ? [(path: string) => matches(path) !== each.negated] : [];
  });
  return {
    text: parts === 0 ? search : text.replaceAll(/[ \t]+/g, ' ').trim(),
    filters,
    cased,
    accepts: (path) => accepts.every((accept) => accept(path)),
  };
}
