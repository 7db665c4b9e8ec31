/** Highlights code beside the page's own thread. */
import { createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import { loadedOnce } from '../../lib/workers.ts';
import { grammars, type Language } from './languages.ts';

/** A piece of a line: text, colour in light, colour in dark. */
export type Token = readonly [text: string, light: string, dark: string];
export interface HighlightRequest {
  readonly id: number;
  readonly text: string;
  readonly language: Language;
}
export interface HighlightAnswer {
  readonly id: number;
  readonly lines: readonly (readonly Token[])[];
}

const started = loadedOnce(() =>
  createHighlighterCore({
    themes: [import('shiki/themes/github-light-default.mjs'), import('shiki/themes/github-dark-default.mjs')],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  }),
);

/** Neighbours of one colour are one piece: each is an element of the page. */
function joined(line: readonly Token[]): Token[] {
  const pieces: Token[] = [];
  for (const token of line) {
    const before = pieces.at(-1);
    if (before?.[1] === token[1] && before[2] === token[2])
      pieces[pieces.length - 1] = [before[0] + token[0], token[1], token[2]];
    else pieces.push(token);
  }
  return pieces;
}

const themes = { light: 'github-light-default', dark: 'github-dark-default' } as const;
/** What of the first text of a language is tried without a limit. */
const tried = { lines: 60, characters: 200 } as const;
const compiled = new Set<string>();

/**
 * Patterns are compiled when they are first tried. On a slow machine that takes longer than the limit of a line, which would
 * be cut inside a comment or a string, and what follows coloured as a part of it.
 */
function compilePatterns(highlighter: HighlighterCore, lang: string, text: string): void {
  if (compiled.has(lang)) return;
  compiled.add(lang);
  const lines = text.split('\n', tried.lines).map((line) => line.slice(0, tried.characters));
  highlighter.codeToTokensWithThemes(lines.join('\n'), { lang, themes, tokenizeTimeLimit: 0 });
}

async function highlight({ id, text, language }: HighlightRequest): Promise<HighlightAnswer> {
  const highlighter = await started();
  const grammar = await grammars[language]();
  await highlighter.loadLanguage(grammar.default);
  const name = grammar.default.at(-1)?.name ?? language;
  compilePatterns(highlighter, name, text);
  const tokens = highlighter.codeToTokensWithThemes(text, {
    lang: name,
    themes,
    tokenizeMaxLineLength: 2_000,
    tokenizeTimeLimit: 200,
  });
  return {
    id,
    lines: tokens.map((line) =>
      joined(
        line.map(
          (token) => [token.content, token.variants.light?.color ?? '', token.variants.dark?.color ?? ''] as const,
        ),
      ),
    ),
  };
}

self.addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  const plain = () => self.postMessage({ id: event.data.id, lines: [] } satisfies HighlightAnswer);
  highlight(event.data).then((answer) => self.postMessage(answer), plain);
});
