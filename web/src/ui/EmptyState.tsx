/** What a list says when it is empty: the next step, with a command to copy where there is one. */
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './CopyButton.tsx';
import classes from './ui.module.css';

export function Command({ text, label = 'Copy the command' }: { text: string; label?: string }) {
  return (
    <div style={{ position: 'relative' }}>
      <pre className={classes.command} tabIndex={0}>
        {text}
      </pre>
      <span className={classes.copy}>
        <CopyButton value={text} label={label} />
      </span>
    </div>
  );
}

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className={classes.empty}>
      <Title order={2} size="h3">
        {title}
      </Title>
      {typeof children === 'string' ? <Text c="var(--mr-dim)">{children}</Text> : children}
    </section>
  );
}
