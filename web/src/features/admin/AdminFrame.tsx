/** One page of the administration, beside the list of them: its heading, what can be done here, and the content. */
import type { ReactNode } from 'react';
import { useTitle } from '../../ui/Page.tsx';
import { Settled } from '../../ui/Settled.tsx';
import classes from './admin.module.css';

interface AdminFrameProps {
  title: string;
  actions?: ReactNode;
  /** Lists use the whole width; forms are read in one column. */
  wide?: boolean;
  children: ReactNode;
}

export function AdminFrame({ title, actions, wide = false, children }: AdminFrameProps) {
  useTitle(`${title} · Administration`);
  return (
    <section aria-label={title} className={classes.part} data-wide={wide || undefined}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {actions}
      </div>
      <Settled key={title}>{children}</Settled>
    </section>
  );
}
