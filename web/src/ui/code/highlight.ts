/** Asks the worker for the tokens of a text; the page shows plain text until they arrive. */
import { startTransition, useEffect, useState } from 'react';
import { workerQuestions } from '../../lib/workers.ts';
import type { HighlightAnswer, HighlightRequest, Token } from './highlight.worker.ts';
import type { Language } from './languages.ts';

export type TokenLines = readonly (readonly Token[])[];

const ask = workerQuestions<Omit<HighlightRequest, 'id'>, HighlightAnswer>(
  () => new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' }),
);

/** The lines of a text; none for what cannot be highlighted. */
export const highlighted = (text: string, language: Language): Promise<TokenLines> =>
  new Promise((resolve) =>
    ask(
      { text, language },
      ({ lines }) => resolve(lines),
      () => resolve([]),
    ),
  );

/** Null until highlighted, and for plain text. */
export function useHighlight(text: string, language: Language | null): TokenLines | null {
  const [result, setResult] = useState<{ text: string; lines: TokenLines } | null>(null);
  useEffect(() => {
    if (language === null) return;
    // Many texts at once, as of a diff, are coloured between events.
    return ask({ text, language }, ({ lines }) => startTransition(() => setResult({ text, lines })));
  }, [text, language]);
  return result?.text === text && result.lines.length > 0 ? result.lines : null;
}
