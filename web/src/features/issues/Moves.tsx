/** Where an issue came from and where it goes on. */
import type { IssueMoves } from '../../lib/issues.ts';
import classes from './issues.module.css';

const words = [
  ['moved_from', 'Moved from'],
  ['moved_to', 'Moved to'],
  ['duplicate_of', 'Duplicate of'],
  ['promoted_to', 'Promoted to epic'],
] as const;

export function Moves({ moves }: { readonly moves: IssueMoves }) {
  return words.map(([name, text]) => {
    const other = moves[name];
    return other ? (
      <p key={name} className={classes.note}>
        {text} <a href={other.web_url}>{other.reference}</a> {other.title}
      </p>
    ) : null;
  });
}
