/** Removing an account: what the person wrote stays, or goes too. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import account from '../account/account.module.css';

const ways = {
  soft: {
    action: 'Delete user',
    text: 'The account and its personal projects will be deleted permanently. Other contributions stay and are attributed to the ghost user.',
  },
  hard: {
    action: 'Delete with contributions',
    text: 'The account, its personal projects, all its contributions, and groups without another owner will be deleted permanently.',
  },
} as const;
type Way = keyof typeof ways;

export function RemoveUser({ user, own }: { user: Schemas['UserView']; own: boolean }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const leaving = useConfirmed(
    (way: Way) => {
      const query = way === 'hard' ? { hard_delete: true } : {};
      return unwrap(client.DELETE('/users/{id}', { params: { path: { id: user.id }, query } }));
    },
    async () => {
      await navigate({ to: '/admin/users' });
      await cache.invalidateQueries({ queryKey: ['users'] });
    },
  );
  if (own) return null;
  const { action, text } = ways[leaving.asked ?? 'soft'];
  return (
    <section className={account.section} aria-label="Delete">
      <h2>Delete</h2>
      <Stack gap="sm">
        <Text>Blocking also ends all access, and can be undone.</Text>
        <Group gap="xs">
          {Object.entries(ways).map(([key, { action: label }]) => (
            <Button key={key} size="xs" variant="outline" color="red" onClick={() => leaving.ask(key as Way)}>
              {label}
            </Button>
          ))}
        </Group>
      </Stack>
      <ConfirmName {...leaving.dialog} title={action} text={text} name={user.username} action={action} />
    </section>
  );
}
