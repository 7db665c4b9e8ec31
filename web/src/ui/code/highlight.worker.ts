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
