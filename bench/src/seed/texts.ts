/** Text for code search: the sources below some folders, and as often as more is wanted the same with other words in them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { numbers } from '../../../scripts/lib/numbers.ts';

const kinds = new Set(
  '.c .cc .cjs .cpp .css .go .h .html .java .js .json .jsx .md .mjs .pl .pm .py .rb .rs .sh .sql .ts .tsx .txt .yml'.split(
    ' ',
  ),
);
const largest = 200_000;
/** Of words that are exchanged; the whole set of those that the texts have need not be known. */
const vocabularySize = 50_000;

function* filesBelow(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile() && kinds.has(extname(path)) && statSync(path).size <= largest) yield path;
  }
}

export interface Text {
  /** Below its repository. */
  readonly path: string;
  readonly content: string;
}

const word = /[A-Za-z_][A-Za-z0-9_]{4,}/g;

/** Different texts without end: in the first round as they are, in each further one with every third word another. */
export function* texts(folders: readonly string[]): Generator<Text> {
  const seen = new Set<string>();
  const files: { readonly from: string; readonly path: string }[] = [];
  for (const folder of folders)
    for (const from of filesBelow(folder)) files.push({ from, path: from.slice(folder.length + 1) });
  const below = numbers(1843);
  for (let at = files.length - 1; at > 0; at--) {
    const other = below(at + 1);
    const [one, two] = [files[at], files[other]];
    if (one && two) [files[at], files[other]] = [two, one];
  }
  const vocabulary: string[] = [];
  for (let round = 0; ; round++)
    for (const [at, { from, path }] of files.entries()) {
      if (from === '') continue;
      const original = readFileSync(from, 'utf8');
      if (original.includes('\0')) continue;
      if (round === 0) {
        // Many packages are installed in several places.
        const key = `${original.length}:${original.slice(0, 200)}:${original.slice(-200)}`;
        if (seen.has(key)) {
          files[at] = { from: '', path };
          continue;
        }
        seen.add(key);
        if (vocabulary.length < vocabularySize) vocabulary.push(...(original.match(word)?.slice(0, 200) ?? []));
        yield { path, content: original };
        continue;
      }
      const other = numbers(round * 1_000_003 + at);
      yield {
        path: `round${round}/${path}`,
        content: original.replace(word, (own) =>
          other(3) === 0 ? (vocabulary[other(vocabulary.length)] ?? own) : own,
        ),
      };
    }
}
