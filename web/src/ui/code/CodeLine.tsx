/** One line of a file: its number, which is a link, and its text with colours where they are known. */
import type { TokenLines } from './highlight.ts';
import classes from './line.module.css';
import { tokenStyle } from './tokens.ts';

interface CodeLineProps {
  number: number;
  text: string;
  tokens: TokenLines[number] | undefined;
  chosen: boolean;
}

export function CodeLine({ number, text, tokens, chosen }: CodeLineProps) {
  return (
    <div className={classes.line} data-chosen={chosen || undefined}>
      <span className={classes.number} data-line={number} />
      <code className={classes.code}>
        {tokens?.map(([part, light, dark], at) => (
          <span key={`${at}:${part}`} className={classes.token} style={tokenStyle(light, dark)}>
            {part}
          </span>
        )) ?? text}
        {'\n'}
      </code>
    </div>
  );
}
