/** What administrators may do with an account, each with what will happen. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { type Action, offeredActions } from './actions.ts';

interface UserActionsProps {
  readonly user: Schemas['UserView'];
  /** Whether it is the administrator's own account. */
  readonly own: boolean;
  /** More of them. */
  readonly children?: ReactNode;
}

export function UserActions({ user, own, children }: UserActionsProps) {
  const [asked, setAsked] = useState<Action | null>(null);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const run = useMutation({
    mutationFn: async (action: Action) => {
      await action.run(user.id);
      setAsked(null);
      if (action.removes) await navigate({ to: '/admin/users' });
      await cache.invalidateQueries({ queryKey: ['users'] });
    },
  });
  const ask = (action: Action | null) => {
    run.reset();
    setAsked(action);
  };
  return (
    <Group gap="xs">
      {offeredActions(user, own).map((action) => (
        <Button key={action.label} size="xs" variant="default" onClick={() => ask(action)}>
          {action.label}
        </Button>
      ))}
      {children}
      <Modal opened={asked !== null} onClose={() => ask(null)} title={`${asked?.label ?? ''}: ${user.name}`}>
        <Stack gap="md">
          <FormError error={run.error} />
          <Text>{asked?.effect}</Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => ask(null)}>
              Cancel
            </Button>
            <Button
              data-autofocus
              loading={run.isPending}
              onClick={() => asked && run.mutate(asked)}
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
