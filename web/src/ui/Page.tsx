/** The body of a page: its heading, what can be done here, and the content. */
import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './page.module.css';

interface PageProps {
  /** Also the title of the window; null where that is said by what is inside. */
  title: string | null;
  /** Shown instead of the plain title. */
  heading?: ReactNode;
  actions?: ReactNode;
  /** Code and diffs use the full width. */
  wide?: boolean;
  /** Leaves the heading to readers of the screen: the header above shows the same. */
  quiet?: boolean;
  /** One column of a form; `form` where its fields are short. */
  narrow?: boolean | 'form';
  children: ReactNode;
}

/** The title of the window. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Millrace`;
  }, [title]);
}

export function Page({ title, heading, actions, quiet, wide, narrow, children }: PageProps) {
  useTitle(title);
  return (
    <main className={classes.main} data-wide={wide || undefined} data-narrow={narrow || undefined}>
      <div className={classes.head} data-quiet={quiet || undefined}>
        <Title order={1} className={classes.heading} tabIndex={-1}>
          {heading ?? title}
        </Title>
        {actions ? <div className={classes.actions}>{actions}</div> : null}
      </div>
      {children}
    </main>
  );
}
