/** The end of a settings form: save, and what came of it. */
import { Button, Group } from '@mantine/core';

export function Save({ pending, done }: { pending: boolean; done: boolean }) {
  return (
    <Group gap="sm">
      <Button type="submit" loading={pending}>
        Save
      </Button>
      <output>{done && !pending ? 'Saved.' : ''}</output>
    </Group>
  );
}
