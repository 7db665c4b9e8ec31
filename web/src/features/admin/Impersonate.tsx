/** Acting as a person: the session of the administrator stands for them until it is given back. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { impersonate, type Schemas } from '../../lib/api.ts';
import { switchSession } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';

export function Impersonate({ user }: { user: Schemas['UserView'] }) {
  const [opened, setOpened] = useState(false);
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => impersonate(user.id),
    onSuccess: async (session) => {
      setOpened(false);
      switchSession(session);
      await navigate({ to: '/' });
    },
  });
  const close = () => {
    start.reset();
    setOpened(false);
  };
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpened(true)}>
        Impersonate
      </Button>
      <Modal opened={opened} onClose={close} title={`Impersonate ${user.name}`}>
        <Stack gap="md">
          <FormError error={start.error} />
          <Text>
            You see the pages as {user.name} sees them, and act in their name. This is recorded, and visible in their
            list of sessions.
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button data-autofocus loading={start.isPending} onClick={() => start.mutate()}>
              Impersonate @{user.username}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
