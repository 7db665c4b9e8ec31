/** The heading of a part of the settings, with what can be done there beside it. */
import type { ReactNode } from 'react';
import classes from './settings.module.css';

export function PartHead({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.head}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
