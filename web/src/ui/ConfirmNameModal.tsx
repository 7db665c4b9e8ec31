/** The dialog of ConfirmName. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormError } from './FormError.tsx';

export interface ConfirmNameProps {
  opened: boolean;
  title: string;
  /** What will happen. */
  text: string;
  /** What has to be typed. */
  name: string;
  action: string;
  pending: boolean;
  error: Error | null;
  close: () => void;
  confirm: () => void;
}

export default function ConfirmNameModal(props: ConfirmNameProps) {
  const { opened, title, text, name, action, pending, error, close, confirm } = props;
  const [typed, setTyped] = useState('');
  const leave = () => {
    setTyped('');
    close();
  };
  return (
    <Modal opened={opened} onClose={leave} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed !== name) return;
          setTyped('');
          confirm();
        }}
      >
        <Stack gap="md">
          <FormError error={error} />
          <Text>{text}</Text>
          <TextInput
            data-autofocus
            label={
              <>
                Type <code>{name}</code> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={leave}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={typed !== name} loading={pending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
