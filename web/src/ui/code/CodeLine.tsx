/** One line of a file: its number, which is a link, and its text with colours where they are known. */
import type { ReactNode } from 'react';
import { hiddenIn } from '../hidden/characters.ts';
import { markedLine, markedPart } from '../hidden/MarkedText.tsx';
import type { TokenLines } from './highlight.ts';
import { LineNumber } from './LineNumber.tsx';
import classes from './line.module.css';
import { tokenStyle } from './tokens.ts';

interface CodeLineProps {
  number: number;
  text: string;
  tokens: TokenLines[number] | undefined;
  chosen: boolean;
  /** Whether the Tab key stops at its number. */
  stop: boolean;
  /** Whether characters that nobody sees are shown. */
  marked: boolean;
}

/** The pieces of a line with their colours, and in them what is marked: a mark may need more of the line than its piece. */
export function coloured(text: string, tokens: TokenLines[number], marked: boolean, first: boolean): ReactNode {
  const hidden = marked ? hiddenIn(text, first) : [];
  let end = 0;
  return tokens.map(([part, light, dark], index) => {
    const start = end;
    end += part.length;
    return (
      <span key={`${index}:${part}`} className={classes.token} style={tokenStyle(light, dark)}>
        {hidden.length === 0 ? part : markedPart(text, start, end, hidden)}
      </span>
    );
  });
}

export function CodeLine({ number, text, tokens, chosen, stop, marked }: CodeLineProps) {
  const first = number === 1;
  return (
    <div className={classes.line} data-chosen={chosen || undefined}>
      <LineNumber number={number} stop={stop} className={classes.number} />
      <code className={classes.code}>
        {tokens ? coloured(text, tokens, marked, first) : marked ? markedLine(text, first) : text}
        {'\n'}
      </code>
    </div>
  );
}
