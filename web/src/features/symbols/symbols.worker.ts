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
import { loadedOnce } from '../../lib/workers.ts';
import { type CodeSymbol, type Grammar, symbolsOf } from './extract.ts';

export interface SymbolsRequest {
  readonly id: number;
  readonly text: string;
  readonly grammar: Grammar;
}
export interface SymbolsAnswer {
  readonly id: number;
  /** Null where the text could not be parsed in time. */
  readonly symbols: readonly CodeSymbol[] | null;
  /** Whether the parser and the grammar could be fetched. */
  readonly loaded: boolean;
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

const parserStarted = loadedOnce(() => Parser.init({ locateFile: () => runtime }));
const languages = new Map<Grammar, () => Promise<Language>>();

async function loadLanguage(grammar: Grammar): Promise<Language> {
  await parserStarted();
  const load = languages.get(grammar) ?? loadedOnce(() => Language.load(addresses[grammar]));
  languages.set(grammar, load);
  return await load();
}

function symbols(text: string, grammar: Grammar, language: Language): readonly CodeSymbol[] | null {
  const parser = new Parser();
  try {
    parser.setLanguage(language);
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

async function answer({ id, text, grammar }: SymbolsRequest): Promise<SymbolsAnswer> {
  const language = await loadLanguage(grammar).catch(() => null);
  if (language === null) return { id, symbols: null, loaded: false };
  try {
    return { id, symbols: symbols(text, grammar, language), loaded: true };
  } catch {
    return { id, symbols: null, loaded: true };
  }
}

self.addEventListener('message', ({ data }: MessageEvent<SymbolsRequest>) => {
  void answer(data).then((found) => self.postMessage(found));
});
