/** A list of rows of 40 px: a link as title, meta below or beside it. `j` and `k` move over the links. */
import type { ReactNode } from 'react';
import classes from './ui.module.css';

export function DataList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  );
}

interface DataRowProps {
  /** Usually a link with `data-entry`. */
  title: ReactNode;
  meta?: ReactNode;
  before?: ReactNode;
  after?: ReactNode;
  /** A block of the full width under title and meta. */
  below?: ReactNode;
}

export function DataRow({ title, meta, before, after, below }: DataRowProps) {
  return (
    <li className={classes.row}>
      {before ? <div className={classes.before}>{before}</div> : null}
      <div className={classes.grow}>
        <div className={classes.title}>{title}</div>
        {meta ? <div className={classes.meta}>{meta}</div> : null}
        {below ? <div className={classes.below}>{below}</div> : null}
      </div>
      {after ? <div className={classes.after}>{after}</div> : null}
    </li>
  );
}
