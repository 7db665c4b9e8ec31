/** Searching the index of code, in one project or many: lines that hold a text first, then files whose path does. */
import path from 'node:path';
import type { Db } from '../../../kernel/db/index.ts';
import { badRequest, unavailable } from '../../../kernel/http/errors.ts';
import { offsetPage, type Page, type Paged } from '../../../kernel/http/pagination.ts';
import { createThread } from '../../../kernel/process/thread.ts';
import { createTurns } from '../../../kernel/process/turns.ts';
import type { Logger } from '../../../kernel/telemetry/index.ts';
import {
  beginningOf,
  type ChunkText,
  type CodeScope,
  chunksWith,
  chunkTexts,
  contentsOfChunks,
  type FoundBatch,
  type FoundChunk,
  type FoundLinesChunk,
  filesNamed,
} from './code.queries.ts';
import { type CodeFacets, facetsOf } from './facets.ts';
import { type FileSearch, fileSearch } from './filters.ts';
import { type PatternRequest, patternProblem, requiredTexts } from './patterns.ts';
import { type LineMatch, linesIn, literalMatches, placesOf } from './places.ts';
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
  /** Whether the text is a regular expression. */
  readonly regex: boolean;
}

/** Processor time for the lines of one batch, in milliseconds, and searches that wait for it. */
const patternBudget = 1_000;
const mostWaiting = 50;
const longestPattern = 1_000;
/** Chunks that an expression looks at together, and walks through the index at once. */
const mostCandidates = 100;
const walksAtOnce = 4;

interface FoundPlace {
  readonly file: FoundChunk;
  readonly startLine: number;
  /** Null for the beginning of a file, which is read when it is shown. */
  readonly lines: readonly string[] | null;
}

const byPath = (a: FoundChunk, b: FoundChunk) =>
  a.index_id - b.index_id || (a.path < b.path ? -1 : a.path > b.path ? 1 : (a.first_line ?? 0) - (b.first_line ?? 0));

function* placesIn(
  file: FoundLinesChunk,
  chunk: ChunkText,
  matches: readonly LineMatch[],
  around: number,
): Generator<FoundPlace> {
  const lines = linesIn(chunk.content);
  const before = chunk.before === null ? [] : linesIn(chunk.before);
  const behind = chunk.behind === null ? [] : linesIn(chunk.behind);
  for (const { start, lines: shown } of placesOf({ before, lines, behind }, matches, around))
    yield { file, startLine: chunk.first_line + start, lines: shown };
}

function* inParts<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let begin = 0; begin < all.length; begin += size) yield all.slice(begin, begin + size);
}

async function* rowsOf(batches: AsyncIterable<FoundBatch>): AsyncGenerator<FoundLinesChunk> {
  for await (const { rows } of batches) yield* rows;
}

async function taken<T>(from: AsyncIterable<T>, most: number): Promise<T[]> {
  const all: T[] = [];
  for await (const each of from) {
    all.push(each);
    if (all.length >= most) break;
  }
  return all;
}

interface Sought extends FileSearch {
  readonly regex: boolean;
}

function soughtIn({ search, regex }: Pick<CodeSearchOptions, 'search' | 'regex'>): Sought {
  const sought = { ...fileSearch(search), regex };
  if (!regex) return sought;
  const problem = sought.text.length > longestPattern ? 'it is too long' : patternProblem(sought.text);
  if (problem !== null) throw badRequest(`search is no regular expression: ${problem}`);
  return sought;
}

const keyOf = ({ blob_id, first_line }: { readonly blob_id: number; readonly first_line: number }) =>
  `${blob_id}:${first_line}`;

export function codeSearcher(db: Db, log: Pick<Logger, 'error'>) {
  const patterns = createThread<PatternRequest, LineMatch[][]>({
    source: path.join(import.meta.dirname, 'pattern-worker.ts'),
    built: 'patterns-main.mjs',
    budget: patternBudget,
    maximumWaiting: mostWaiting,
    busy: 'too many regular expressions are being looked for',
    failed: 'regular expressions cannot be looked for',
    log,
  });

  const turns = createTurns({
    atOnce: walksAtOnce,
    longest: mostWaiting,
    refusal: () => unavailable('too many searches of code at once', 5),
  });

  /** Where the lines match, text by text. */
  async function matchesIn(texts: readonly string[], { text, cased, regex }: Sought): Promise<LineMatch[][]> {
    if (!regex) return texts.map((each) => literalMatches(linesIn(each), text, cased));
    const found = await patterns.ask({ source: text, cased, texts });
    if (!found) throw badRequest('The regular expression takes too long: make it simpler, or narrow the search');
    return found;
  }

  /** Chunks with what matches in them, in the order of `chunks`. */
  async function* matching(handle: Db, chunks: readonly FoundLinesChunk[], sought: Sought) {
    for (const part of inParts(chunks, atOnce)) {
      const texts = new Map((await chunkTexts(handle, part)).map((each) => [keyOf(each), each]));
      // A push may have taken one away meanwhile.
      const known = part.flatMap((chunk) => {
        const text = texts.get(keyOf(chunk));
        return text ? [{ chunk, text }] : [];
      });
      const contents = known.map(({ text }) => text.content);
      const matches = await matchesIn(contents, sought);
      for (const [at, each] of known.entries()) if (matches[at]?.length) yield { ...each, matches: matches[at] };
    }
  }

  /** Most chunks that an expression looks at do not match: what lies around is read of the others alone. */
  async function* matchingOf(batches: AsyncIterable<FoundBatch>, sought: Sought) {
    for await (const { tx, rows } of batches)
      for (const part of inParts(rows, atOnce)) {
        const contents = await contentsOfChunks(tx, part);
        const found = await matchesIn(
          contents.map((content) => content ?? ''),
          sought,
        );
        const chunks = part.filter((_, at) => contents[at] !== null && found[at]?.length);
        if (chunks.length > 0) yield* matching(tx, chunks, sought);
      }
  }

  /** In its turn: each walk has a connection for itself, and others need some, too. */
  async function* walked(
    scope: CodeScope,
    { text, filters, cased, regex }: Sought,
    most: number,
  ): AsyncGenerator<FoundBatch> {
    const leave = await turns.enter();
    try {
      yield* chunksWith(db, scope, { texts: regex ? requiredTexts(text) : [[text]], cased, filters }, most);
    } finally {
      leave();
    }
  }

  /** At least `most` places, where there are so many; in their order. */
  async function* found(
    scope: CodeScope,
    { around, ...of }: CodeSearchOptions,
    most: number,
  ): AsyncGenerator<FoundPlace> {
    const sought = soughtIn(of);
    const { text, filters, cased, regex } = sought;
    // Lines are what is searched.
    if (/[\n\0]/.test(text)) return;
    const withText = new Set<string>();
    if (text !== '') {
      // Of one project everything that is found is put in order; of many what lies first is told first.
      const one = scope.place !== null && 'projectId' in scope.place;
      const enough = one && !regex ? mostResults : most;
      const all = walked(scope, sought, regex ? mostCandidates : enough);
      const chunks = regex ? null : await taken(rowsOf(all), enough);
      if (one) chunks?.sort(byPath);
      const places = chunks === null ? matchingOf(all, sought) : matching(db, chunks, sought);
      for await (const { chunk, text: content, matches } of places) {
        withText.add(`${chunk.index_id}:${chunk.path}`);
        yield* placesIn(chunk, content, matches, around);
      }
      if (chunks !== null && chunks.length >= enough) return;
    }
    if (regex && text !== '') return;
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
    return blobJson(place, {
      ref: file.branch,
      projectId: file.project_id,
      groupId: file.group_id,
      projectPath: file.project_path,
    });
  }

  /** How many files of which projects, languages and directories are found. */
  async function facets(scope: CodeScope, of: Pick<CodeSearchOptions, 'search' | 'regex'>): Promise<CodeFacets> {
    const sought = soughtIn(of);
    const { text, filters, cased, regex } = sought;
    if (/[\n\0]/.test(text)) return facetsOf([], true);
    const found: FoundChunk[] = [];
    let complete = true;
    if (text !== '') {
      const all = walked(scope, sought, mostResults);
      if (regex) found.push(...(await taken(matchingOf(all, sought), mostResults)).map(({ chunk }) => chunk));
      else found.push(...(await taken(rowsOf(all), mostResults)));
      complete = found.length < mostResults;
    }
    if (complete && (!regex || text === '')) {
      const named = await filesNamed(db, scope, { text, cased, filters }, mostResults);
      complete = named.length < mostResults;
      found.push(...named);
    }
    return facetsOf(found, complete);
  }

  return {
    facets,
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
