/** What administrators may do with an account, each with what will happen. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { type Action, offeredActions } from './actions.ts';

interface UserActionsProps {
  readonly user: Schemas['UserView'];
  /** Whether it is the administrator's own account. */
  readonly own: boolean;
}

export function UserActions({ user, own }: UserActionsProps) {
  const [asked, setAsked] = useState<Action | null>(null);
  const [leaving, setLeaving] = useState<'soft' | 'hard' | null>(null);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await navigate({ to: '/admin/users' });
    await cache.invalidateQueries({ queryKey: ['users'] });
  };
  const run = useMutation({
    mutationFn: async (action: Action) => {
      await action.run(user.id);
      setAsked(null);
      if (action.removes) await leave();
      else await cache.invalidateQueries({ queryKey: ['users'] });
    },
  });
  const remove = useMutation({
    mutationFn: async (hard: boolean) => {
      await unwrap(
        client.DELETE('/users/{id}', { params: { path: { id: user.id }, query: hard ? { hard_delete: true } : {} } }),
      );
      setLeaving(null);
      await leave();
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
      {own ? null : (
        <>
          <Button size="xs" variant="default" onClick={() => setLeaving('soft')}>
            Delete user
          </Button>
          <Button size="xs" variant="default" onClick={() => setLeaving('hard')}>
            Delete with contributions
          </Button>
        </>
      )}
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
      <ConfirmName
        opened={leaving !== null}
        title={leaving === 'hard' ? 'Delete user with contributions' : 'Delete user'}
        text={
          leaving === 'hard'
            ? 'The account, its personal projects, everything that the person wrote, and groups that nobody else owns are removed for good.'
            : 'The account and its personal projects are removed for good. What the person wrote elsewhere stays, under the name of the ghost user.'
        }
        name={user.username}
        action="Delete user"
        pending={remove.isPending}
        error={remove.error}
        close={() => {
          remove.reset();
          setLeaving(null);
        }}
        confirm={() => remove.mutate(leaving === 'hard')}
      />
    </Group>
  );
}
