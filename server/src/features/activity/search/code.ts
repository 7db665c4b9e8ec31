/** Searching the index of code, in one project or many: lines that hold a text first, then files whose path does. */
import type { Db } from '../../../kernel/db/index.ts';
import { offsetPage, type Page, type Paged } from '../../../kernel/http/pagination.ts';
import {
  beginningOf,
  type ChunkText,
  type CodeScope,
  chunksWith,
  chunkTexts,
  type FoundChunk,
  type FoundLinesChunk,
  filesNamed,
} from './code.queries.ts';
import { fileSearch } from './filters.ts';
import { linesIn, literalMatches, placesOf } from './places.ts';
import { blobJson } from './search.entity.ts';

/** Nobody pages further: what comes after is found with a narrower search. */
const mostResults = 1_000;
/** Of a file that is found by its path. */
const firstLines = 5;
/** Chunks whose lines are read at a time. */
const atOnce = 25;

export interface CodeSearchOptions {
  readonly search: string;
  /** Lines before and after each that matches. */
  readonly around: number;
}

interface FoundPlace {
  readonly file: FoundChunk;
  readonly startLine: number;
  /** Null for the beginning of a file, which is read when it is shown. */
  readonly lines: readonly string[] | null;
}

const byPath = (a: FoundChunk, b: FoundChunk) =>
  a.project_id - b.project_id ||
  (a.path < b.path ? -1 : a.path > b.path ? 1 : (a.first_line ?? 0) - (b.first_line ?? 0));

async function taken<T>(from: AsyncIterable<T>, most: number): Promise<T[]> {
  const all: T[] = [];
  for await (const each of from) {
    all.push(each);
    if (all.length >= most) break;
  }
  return all;
}

export function codeSearcher(db: Db) {
  function* placesIn(
    found: FoundLinesChunk,
    chunk: ChunkText,
    search: { text: string; cased: boolean; around: number },
  ) {
    const lines = linesIn(chunk.content);
    const before = chunk.before === null ? [] : linesIn(chunk.before);
    const behind = chunk.behind === null ? [] : linesIn(chunk.behind);
    const matches = literalMatches(lines, search.text, search.cased);
    for (const { start, lines: shown } of placesOf({ before, lines, behind }, matches, search.around))
      yield { file: found, startLine: chunk.first_line + start, lines: shown };
  }

  /** At least `most` places, where there are so many; in their order. */
  async function* found(
    scope: CodeScope,
    { search, around }: CodeSearchOptions,
    most: number,
  ): AsyncGenerator<FoundPlace> {
    const { text, filters, cased } = fileSearch(search);
    // Lines are what is searched.
    if (/[\n\0]/.test(text)) return;
    const withText = new Set<string>();
    if (text !== '') {
      // Of one project everything that is found is put in order; of many what lies first is told first.
      const one = scope.place !== null && 'projectId' in scope.place;
      const enough = one ? mostResults : most;
      const chunks = await taken(chunksWith(db, scope, { texts: [text], cased, filters }), enough);
      if (one) chunks.sort(byPath);
      for (let at = 0; at < chunks.length; at += atOnce) {
        const part = chunks.slice(at, at + atOnce);
        const texts = await chunkTexts(db, part);
        const known = new Map(texts.map((each) => [`${each.blob_id}:${each.first_line}`, each]));
        for (const chunk of part) {
          withText.add(`${chunk.index_id}:${chunk.path}`);
          const content = known.get(`${chunk.blob_id}:${chunk.first_line}`);
          if (content) yield* placesIn(chunk, content, { text, cased, around });
        }
      }
      if (chunks.length >= enough) return;
    }
    const named = await filesNamed(db, scope, { text, cased, filters }, mostResults);
    for (const file of named.sort(byPath))
      if (!withText.has(`${file.index_id}:${file.path}`)) yield { file, startLine: 1, lines: null };
  }

  async function shown({ file, startLine, lines }: FoundPlace) {
    const place = {
      path: file.path,
      startLine,
      lines: lines ?? linesIn(await beginningOf(db, file.blob_id)).slice(0, firstLines),
    };
    return blobJson(place, { ref: file.branch, projectId: file.project_id, projectPath: file.project_path });
  }

  return {
    async page(scope: CodeScope, options: CodeSearchOptions, page: Page): Promise<Paged> {
      const last = Math.min(page.offset + page.limit, mostResults);
      const places = await taken(found(scope, options, last), last);
      const ended = places.length < last;
      const rows = await Promise.all(places.slice(page.offset).map(shown));
      return offsetPage(page, rows, ended ? places.length : null);
    },
  };
}
export type CodeSearcher = ReturnType<typeof codeSearcher>;
