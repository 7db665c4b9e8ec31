/** Colours of the lines of a diff: each side is highlighted as a text of its own, in the worker, once the file is shown. */
import { useMemo } from 'react';
import { type TokenLines, useHighlight } from '../code/highlight.ts';
import { languageOf } from '../code/languages.ts';
import type { DiffLine } from './hunks.ts';

export type DiffTokens = ReadonlyMap<DiffLine, TokenLines[number]>;

const isText = ({ kind }: DiffLine) => kind !== 'hunk' && kind !== 'note';
const textOf = (lines: readonly DiffLine[]) => lines.map(({ text }) => text).join('\n');

/** Null until the worker has answered, for what has no language, and where none are wanted. */
export function useDiffTokens(path: string, lines: readonly DiffLine[], plain: boolean): DiffTokens | null {
  const { now, old } = useMemo(() => {
    const shown = lines.filter(isText);
    const before = shown.filter((line) => line.old !== null);
    return {
      now: shown.filter((line) => line.now !== null),
      // The lines that stay are coloured with the other side.
      old: before.some((line) => line.now === null) ? before : [],
    };
  }, [lines]);
  const language = plain ? null : languageOf(path);
  const nowTokens = useHighlight(
    useMemo(() => textOf(now), [now]),
    now.length > 0 ? language : null,
  );
  const oldTokens = useHighlight(
    useMemo(() => textOf(old), [old]),
    old.length > 0 ? language : null,
  );
  return useMemo(() => {
    if (!nowTokens && !oldTokens) return null;
    const found = new Map<DiffLine, TokenLines[number]>();
    for (const [side, tokens] of [
      [old, oldTokens],
      [now, nowTokens],
    ] as const)
      for (const [at, line] of side.entries()) {
        const pieces = tokens?.[at];
        // What the highlighter has cut is shown without colours.
        if (pieces && pieces.map(([part]) => part).join('') === line.text) found.set(line, pieces);
      }
    return found;
  }, [now, old, nowTokens, oldTokens]);
}
