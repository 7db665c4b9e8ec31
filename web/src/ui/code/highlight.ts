/** Asks the worker for the tokens of a text; the page shows plain text until they arrive. */
import { useEffect, useState } from 'react';
import type { HighlightAnswer, HighlightRequest, Token } from './highlight.worker.ts';
import type { Language } from './languages.ts';

export type TokenLines = readonly (readonly Token[])[];

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, (lines: TokenLines) => void>();

function ask(text: string, language: Language, heard: (lines: TokenLines) => void): () => void {
  if (!worker) {
    worker = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<HighlightAnswer>) => {
      waiting.get(event.data.id)?.(event.data.lines);
      waiting.delete(event.data.id);
    });
  }
  const id = ++last;
  waiting.set(id, heard);
  worker.postMessage({ id, text, language } satisfies HighlightRequest);
  return () => void waiting.delete(id);
}

/** The lines of a text; none for what cannot be highlighted. */
export const highlighted = (text: string, language: Language): Promise<TokenLines> =>
  new Promise((resolve) => ask(text, language, resolve));

/** Null until highlighted, and for plain text. */
export function useHighlight(text: string, language: Language | null): TokenLines | null {
  const [result, setResult] = useState<{ text: string; lines: TokenLines } | null>(null);
  useEffect(() => {
    if (language === null) return;
    return ask(text, language, (lines) => setResult({ text, lines }));
  }, [text, language]);
  return result?.text === text && result.lines.length > 0 ? result.lines : null;
}
