/** What a search for files asks: a text, and filters of paths among its words: `filename:`, `path:` and `extension:`. */
import { linearPattern } from '../../repository/index.ts';

export interface FileSearch {
  /** Without the filters. */
  readonly text: string;
  readonly accepts: (path: string) => boolean;
}

const filter = /(?<=^|\s)(-?)(filename|path|extension):(\S+)(?=\s|$)/g;
/** Most filters of one search; the others are parts of the text. */
const mostFilters = 20;

/** A star stands for any signs. */
const sourceOf = (glob: string) =>
  glob
    .split('*')
    .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*');

function patternOf(kind: string, glob: string): string {
  const source = sourceOf(glob);
  switch (kind) {
    case 'filename':
      return `(?i)(^|/)[^/]*${source}$`;
    case 'extension':
      return `(?i)\\.${source}$`;
    default:
      return `(?i)${source}`;
  }
}

/** Whatever case the filters are in; one with a hyphen in front leaves out what it matches. */
export function fileSearch(search: string): FileSearch {
  const accepts: ((path: string) => boolean)[] = [];
  const text = search.replace(filter, (whole, minus: string, kind: string, glob: string) => {
    const matches = accepts.length < mostFilters ? linearPattern(patternOf(kind, glob)) : null;
    if (!matches) return whole;
    accepts.push((path) => matches(path) === (minus === ''));
    return '';
  });
  return {
    text: accepts.length === 0 ? search : text.replaceAll(/[ \t]+/g, ' ').trim(),
    accepts: (path) => accepts.every((accept) => accept(path)),
  };
}
