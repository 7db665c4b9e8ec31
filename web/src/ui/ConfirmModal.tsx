/** The dialog of ConfirmDialog. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { FormError } from './FormError.tsx';

export interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly title: string;
  /** What will happen. */
  readonly text: string;
  readonly action: string;
  /** False for what harms nobody. */
  readonly danger?: boolean;
  readonly pending: boolean;
  readonly error: Error | null;
  close(): void;
  confirm(): void;
}

export default function ConfirmModal(props: ConfirmDialogProps) {
  const { opened, title, text, action, danger = true, pending, error, close, confirm } = props;
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack gap="md">
        <FormError error={error} />
        <Text style={{ overflowWrap: 'anywhere' }}>{text}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" data-autofocus onClick={close}>
            Cancel
          </Button>
          <Button {...(danger ? { color: 'red' } : {})} loading={pending} onClick={confirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
