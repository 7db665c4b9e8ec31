/** Parses code beside the page's own thread. The parser and each grammar are fetched when first needed. */
import bash from '@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm?url';
import csharp from '@vscode/tree-sitter-wasm/wasm/tree-sitter-c-sharp.wasm?url';
import cpp from '@vscode/tree-sitter-wasm/wasm/tree-sitter-cpp.wasm?url';
import go from '@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm?url';
import java from '@vscode/tree-sitter-wasm/wasm/tree-sitter-java.wasm?url';
import javascript from '@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm?url';
import php from '@vscode/tree-sitter-wasm/wasm/tree-sitter-php.wasm?url';
import python from '@vscode/tree-sitter-wasm/wasm/tree-sitter-python.wasm?url';
import ruby from '@vscode/tree-sitter-wasm/wasm/tree-sitter-ruby.wasm?url';
import rust from '@vscode/tree-sitter-wasm/wasm/tree-sitter-rust.wasm?url';
import tsx from '@vscode/tree-sitter-wasm/wasm/tree-sitter-tsx.wasm?url';
import typescript from '@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm?url';
import { Language, Parser } from 'web-tree-sitter';
import runtime from 'web-tree-sitter/web-tree-sitter.wasm?url';
import { type CodeSymbol, type Grammar, symbolsOf } from './extract.ts';

export interface SymbolsRequest {
  readonly id: number;
  readonly text: string;
  readonly grammar: Grammar;
}
export interface SymbolsAnswer {
  readonly id: number;
  /** Null where the text could not be parsed in time, or the grammar not be fetched. */
  readonly symbols: readonly CodeSymbol[] | null;
}

/** Code that takes longer is made to take long. */
const mostMilliseconds = 3_000;

const addresses: Readonly<Record<Grammar, string>> = {
  bash,
  'c-sharp': csharp,
  cpp,
  go,
  java,
  javascript,
  php,
  python,
  ruby,
  rust,
  tsx,
  typescript,
};

let started: Promise<void> | undefined;
const loaded = new Map<Grammar, Promise<Language>>();

function languageOf(grammar: Grammar): Promise<Language> {
  const before = loaded.get(grammar);
  if (before !== undefined) return before;
  const language = Language.load(addresses[grammar]);
  loaded.set(grammar, language);
  // What could not be fetched is fetched again by the next question.
  language.catch(() => loaded.delete(grammar));
  return language;
}

async function symbols({ text, grammar }: SymbolsRequest): Promise<readonly CodeSymbol[] | null> {
  started ??= Parser.init({ locateFile: () => runtime });
  await started;
  const parser = new Parser();
  try {
    parser.setLanguage(await languageOf(grammar));
    const end = performance.now() + mostMilliseconds;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > end });
    if (!tree) return null;
    try {
      return symbolsOf(tree.rootNode, grammar);
    } finally {
      tree.delete();
    }
  } finally {
    parser.delete();
  }
}

self.addEventListener('message', ({ data }: MessageEvent<SymbolsRequest>) => {
  const answer = (found: readonly CodeSymbol[] | null) =>
    self.postMessage({ id: data.id, symbols: found } satisfies SymbolsAnswer);
  symbols(data).then(answer, () => answer(null));
});
