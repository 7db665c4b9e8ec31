/** Symbols of files, and where a name is defined: in the file, or in others of the same commit. */
import { client, unwrap } from '../../lib/api.ts';
import { of } from '../../lib/data.ts';
import { queries } from '../../lib/queries.ts';
import { workerQuestions } from '../../lib/workers.ts';
import { decodeText } from '../files/content.ts';
import type { CodeSymbol } from './extract.ts';
import { grammarOf, mostCharacters } from './grammars.ts';
import type { SymbolsAnswer, SymbolsRequest } from './symbols.worker.ts';

const ask = workerQuestions<Omit<SymbolsRequest, 'id'>, SymbolsAnswer>(
  () => new Worker(new URL('./symbols.worker.ts', import.meta.url), { type: 'module' }),
);

/** The symbols of a text; null where it has no grammar or cannot be parsed. Fails where the parser cannot be loaded. */
export function symbolsIn(fileName: string, text: string): Promise<readonly CodeSymbol[] | null> {
  const grammar = grammarOf(fileName);
  if (grammar === null || text.length > mostCharacters) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error('The parser could not be loaded.'));
    ask({ text, grammar }, ({ symbols, loaded }) => (loaded ? resolve(symbols) : failed()), failed);
  });
}

export interface Definition extends CodeSymbol {
  readonly path: string;
}

/** Files that are read for one name. */
const mostFiles = 12;

/** Whether a symbol is what a name in the text means: methods of C++ are defined with their class before them. */
export const isNamed = (symbol: CodeSymbol, name: string): boolean =>
  symbol.name === name || symbol.name.endsWith(`::${name}`) || symbol.name.endsWith(`.${name}`);

/** The files of a commit that contain a name, found by the code search. */
async function filesWith(project: string, commit: string, name: string): Promise<string[]> {
  const query = { scope: 'blobs' as const, search: name, ref: commit, per_page: 100, num_context_lines: 0 };
  const found = await unwrap(client.GET('/projects/{id}/search', { params: { path: { id: project }, query } }));
  const paths = (found as readonly { readonly path?: string }[]).flatMap(({ path }) => path ?? []);
  return [...new Set(paths)].filter((path) => grammarOf(path) !== null).slice(0, mostFiles);
}

/** Definitions of a name in files of a commit, but for the one that is open. */
export async function definitionsElsewhere(
  project: string,
  commit: string,
  name: string,
  except: string,
): Promise<Definition[]> {
  const paths = (await filesWith(project, commit, name)).filter((path) => path !== except);
  const found = await Promise.all(
    paths.map(async (path) => {
      const file = await queries.ensureQueryData(of(project).file(commit, path));
      const text = decodeText(file.content);
      const symbols = text === null ? null : await symbolsIn(path, text);
      return (symbols ?? []).filter((symbol) => isNamed(symbol, name)).map((symbol) => ({ ...symbol, path }));
    }),
  );
  return found.flat();
}
