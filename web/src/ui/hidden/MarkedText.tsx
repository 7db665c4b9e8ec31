/** A part of a line of code in which characters that nobody sees are shown by their codes. */
import type { ReactNode } from 'react';
import { type Hidden, hiddenIn, mostInLine, wordsOf } from './characters.ts';
import classes from './hidden.module.css';

/**
 * The character itself stays in the text, so that it is copied as it is, in a box of its own: the order of what is around it
 * cannot be changed from in there.
 */
function Mark({ characters }: { characters: string }) {
  const { short, long } = wordsOf(characters);
  return (
    <span className={classes.mark} role="img" aria-label={long} title={long} data-hidden={short}>
      <span className={classes.raw}>{characters}</span>
    </span>
  );
}

/** The text between two places of a line, marked. */
export function markedPart(line: string, from: number, to: number, hidden: readonly Hidden[]): ReactNode {
  const parts: ReactNode[] = [];
  let done = from;
  for (const [index, { at, length }] of hidden.entries()) {
    if (at < from || at >= to) continue;
    if (at > done) parts.push(line.slice(done, at));
    // Thousands of boxes in one line would make the page stand still; the rest is shown to be there.
    parts.push(index < mostInLine ? <Mark key={at} characters={line.slice(at, at + length)} /> : '\ufffd');
    done = at + length;
  }
  return parts.length === 0 ? line.slice(from, to) : [...parts, line.slice(done, to)];
}

/** A whole line; `first` of its file. */
export const markedLine = (line: string, first = false): ReactNode =>
  markedPart(line, 0, line.length, hiddenIn(line, first));
