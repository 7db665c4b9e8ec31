/** The end of a settings form: save, and what came of it. */
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface SaveProps {
  readonly pending: boolean;
  readonly done: boolean;
  readonly label?: string;
  /** What else may be done here. */
  readonly children?: ReactNode;
}

export function Save({ pending, done, label = 'Save', children }: SaveProps) {
  return (
    <Group gap="sm">
      <Button type="submit" loading={pending}>
        {label}
      </Button>
      {children}
      <output>{done && !pending ? 'Saved.' : ''}</output>
    </Group>
  );
}
