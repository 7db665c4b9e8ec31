/** Highlights code beside the page's own thread. */
import { createHighlighterCore } from 'shiki/core';
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

async function highlight({ id, text, language }: HighlightRequest): Promise<HighlightAnswer> {
  const highlighter = await started();
  const grammar = await grammars[language]();
  await highlighter.loadLanguage(grammar.default);
  const name = grammar.default.at(-1)?.name ?? language;
  const tokens = highlighter.codeToTokensWithThemes(text, {
    lang: name,
    themes: { light: 'github-light-default', dark: 'github-dark-default' },
    tokenizeMaxLineLength: 2_000,
    tokenizeTimeLimit: 200,
  });
  return {
    id,
    lines: tokens.map((line) =>
      line.map(
        (token) => [token.content, token.variants.light?.color ?? '', token.variants.dark?.color ?? ''] as const,
      ),
    ),
  };
}

self.addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  const plain = () => self.postMessage({ id: event.data.id, lines: [] } satisfies HighlightAnswer);
  highlight(event.data).then((answer) => self.postMessage(answer), plain);
});
