/** Searching the files of one commit: places that hold a text first, then files whose path does. */
import { badRequest } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { offsetPage, type Paged, withItems } from '../../../kernel/http/pagination.ts';
import type { FoundLines, RepositoryReader, RepositoryRow } from '../../repository/index.ts';
import { fileSearch } from './filters.ts';
import { blobJson } from './search.entity.ts';

/** Nobody pages further: what comes after is found with a narrower search. */
const mostPlaces = 1000;
/** Of a file that is found by its path. */
const firstLines = 5;
const mostBytes = 1024 * 1024;

export interface SearchedTree {
  readonly repository: RepositoryRow;
  readonly commit: string;
  /** As the answer tells it. */
  readonly ref: string;
  readonly projectId: number;
  readonly projectPath: string;
}

export function fileSearcher(reader: RepositoryReader) {
  /** Everything that is found, in its order, as long as somebody asks for more. */
  async function* found({ repository, commit }: SearchedTree, search: string, signal: AbortSignal) {
    const { text, accepts, filters, cased } = fileSearch(search);
    if (cased || filters.some(({ kind }) => kind === 'blob'))
      throw badRequest('case: and blob: are for the default branch, once it is indexed');
    // A pattern of git is one line.
    if (/[\n\0]/.test(text)) return;
    const withText = new Set<string>();
    if (text !== '')
      for await (const place of reader.grep(repository, commit, text, signal)) {
        if (!accepts(place.path)) continue;
        withText.add(place.path);
        yield place;
      }
    const named = text.toLowerCase();
    for await (const path of reader.paths(repository, commit, signal))
      if (!withText.has(path) && path.toLowerCase().includes(named) && accepts(path))
        yield { path, startLine: 1, lines: null };
  }

  /** The beginning of a file; nothing of one that is binary or long. */
  async function beginning({ repository, commit }: SearchedTree, path: string): Promise<string[]> {
    const blob = await reader.blob(repository, commit, path);
    const content = blob && blob.size <= mostBytes ? await reader.blobContent(repository, blob.id, mostBytes) : null;
    if (!content || content.length === 0 || content.includes(0)) return [];
    const lines = content.toString('utf8').split('\n', firstLines + 1);
    return (lines.at(-1) === '' ? lines.slice(0, -1) : lines).slice(0, firstLines);
  }

  return async (tree: SearchedTree, search: string, page: Page, signal: AbortSignal): Promise<Paged> => {
    const last = Math.min(page.offset + page.limit, mostPlaces);
    const rows: (Omit<FoundLines, 'lines'> & { readonly lines: readonly string[] | null })[] = [];
    let seen = 0;
    let ended = true;
    for await (const place of found(tree, search, signal)) {
      seen += 1;
      if (seen > page.offset) rows.push(place);
      if (seen >= last) {
        ended = false;
        break;
      }
    }
    const paged = offsetPage(page, rows, ended ? seen : null);
    const shown = paged.items.map(async (place) => {
      const lines = place.lines ?? (await beginning(tree, place.path));
      return blobJson({ ...place, lines }, tree);
    });
    return withItems(paged, await Promise.all(shown));
  };
}
