/** Lines of a file with colours; those that hold the text stand out. */

import { type FoundCode as Found, marks } from '../../lib/search.ts';
import { useHighlight } from '../../ui/code/highlight.ts';
import { languageOf } from '../../ui/code/languages.ts';
import { linesOf } from '../../ui/code/lines.ts';
import { tokenStyle } from '../../ui/code/tokens.ts';
import classes from './search.module.css';

function Plain({ text, wanted }: { text: string; wanted: string }) {
  let at = 0;
  return marks(text, wanted).map((part) => {
    const key = at;
    at += part.text.length;
    return part.hit ? <mark key={key}>{part.text}</mark> : <span key={key}>{part.text}</span>;
  });
}

export function FoundCode({ path, text, first, wanted }: Found & { wanted: string }) {
  const tokens = useHighlight(text, languageOf(path.split('/').at(-1) ?? path));
  return (
    <div className={classes.code} tabIndex={0} role="region" aria-label={`${path}, from line ${first}`}>
      {linesOf(text).map((line, index) => {
        const number = first + index;
        const hit = wanted !== '' && line.toLowerCase().includes(wanted.toLowerCase());
        const pieces = tokens?.[index];
        return (
          <div className={classes.line} key={number} data-hit={hit || undefined}>
            <span className={classes.number}>{number}</span>
            <code className={classes.text}>
              {pieces && !hit ? (
                pieces.map(([part, light, dark], at) => (
                  <span key={`${at}:${part}`} className={classes.token} style={tokenStyle(light, dark)}>
                    {part}
                  </span>
                ))
              ) : (
                <Plain text={line} wanted={wanted} />
              )}
            </code>
          </div>
        );
      })}
    </div>
  );
}
