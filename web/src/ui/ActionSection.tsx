/** One thing that can be done on a page of settings: what it is, what will happen, and the button. */
import type { ReactNode } from 'react';
import classes from './ui.module.css';

export function ActionSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.action} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
