/** The end of a list that goes on: fetches the next part below what is there. */
import { Button, Group } from '@mantine/core';

interface Props {
  readonly more: boolean;
  readonly pending: boolean;
  show(): unknown;
}

export function ShowMore({ more, pending, show }: Props) {
  if (!more) return null;
  return (
    <Group mt="md" justify="center">
      <Button variant="default" size="xs" loading={pending} onClick={() => void show()}>
        Show more
      </Button>
    </Group>
  );
}
