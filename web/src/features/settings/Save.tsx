/** The end of a settings form: save, and what came of it. */
import { Button, Group } from '@mantine/core';

interface SaveProps {
  readonly pending: boolean;
  readonly done: boolean;
  readonly label?: string;
}

export function Save({ pending, done, label = 'Save' }: SaveProps) {
  return (
    <Group gap="sm">
      <Button type="submit" loading={pending}>
        {label}
      </Button>
      <output>{done && !pending ? 'Saved.' : ''}</output>
    </Group>
  );
}
