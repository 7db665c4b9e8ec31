/** What administrators may do with an account, each with what will happen. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { useConfirmed } from '../../ui/confirmed.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { type Action, offeredActions } from './actions.ts';

interface UserActionsProps {
  readonly user: Schemas['UserView'];
  /** Whether it is the administrator's own account. */
  readonly own: boolean;
  /** More of them. */
  readonly children?: ReactNode;
}

export function UserActions({ user, own, children }: UserActionsProps) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const { asked, ask, dialog } = useConfirmed(
    (action: Action) => action.run(user.id),
    async (action) => {
      if (action.removes) await navigate({ to: '/admin/users' });
      await cache.invalidateQueries({ queryKey: ['users'] });
    },
  );
  return (
    <Group gap="xs">
      {offeredActions(user, own).map((action) => (
        <Button key={action.label} size="xs" variant="default" onClick={() => ask(action)}>
          {action.label}
        </Button>
      ))}
      {children}
      <Modal opened={dialog.opened} onClose={dialog.close} title={`${asked?.label ?? ''}: ${user.name}`}>
        <Stack gap="md">
          <FormError error={dialog.error} />
          <Text>{asked?.effect}</Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={dialog.close}>
              Cancel
            </Button>
            <Button
              data-autofocus
              loading={dialog.pending}
              onClick={dialog.confirm}
              {...(asked?.danger ? { color: 'red' } : {})}
            >
              {asked?.label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  );
}
