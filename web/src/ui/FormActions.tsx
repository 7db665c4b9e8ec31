/** The end of a form that can be left: sends it, or goes back. */
import { Button, Group } from '@mantine/core';

interface Props {
  /** What sending does, in words. */
  readonly action: string;
  readonly pending: boolean;
  readonly danger?: boolean;
  cancel(): void;
}

export function FormActions({ action, pending, danger = false, cancel }: Props) {
  return (
    <Group>
      <Button type="submit" loading={pending} {...(danger ? { color: 'red' } : {})}>
        {action}
      </Button>
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  );
}
