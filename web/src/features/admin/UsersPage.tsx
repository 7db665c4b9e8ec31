/** All accounts of the instance, and creating one. */
import { Badge, Button, Modal, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { AdminFrame } from './AdminFrame.tsx';

function NewUser({ close }: { close: () => void }) {
  const [values, setValues] = useState({ username: '', name: '', email: '', password: '' });
  const cache = useQueryClient();
  const sending = useForm(async () => {
    await unwrap(client.POST('/users', { body: { ...values, skip_confirmation: true } }));
    await cache.invalidateQueries({ queryKey: ['users'] });
    close();
  });
  const field = (name: keyof typeof values) => ({
    required: true,
    value: values[name],
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [name]: event.currentTarget.value }),
    error: sending.reason(name),
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput label="Username" data-autofocus autoComplete="off" {...field('username')} />
        <TextInput label="Name" autoComplete="off" {...field('name')} />
        <TextInput label="E-mail" type="email" autoComplete="off" {...field('email')} />
        <PasswordInput label="Password" autoComplete="new-password" {...field('password')} />
        <Button type="submit" loading={sending.pending}>
          Create user
        </Button>
      </Stack>
    </form>
  );
}

export default function UsersPage() {
  const { data: users } = useSuspenseQuery(data.users());
  const [creating, setCreating] = useState(false);
  return (
    <AdminFrame
      title="Users"
      actions={
        <Button size="xs" onClick={() => setCreating(true)}>
          New user
        </Button>
      }
    >
      <Modal opened={creating} onClose={() => setCreating(false)} title="New user">
        <NewUser close={() => setCreating(false)} />
      </Modal>
      <DataList label="Users">
        {users.map((user) => (
          <DataRow
            key={user.id}
            title={<UserChip user={user} />}
            meta={
              <>
                <span>@{user.username}</span>
                {user.email ? <span>{user.email}</span> : null}
                {user.is_admin ? (
                  <Badge size="sm" variant="default">
                    administrator
                  </Badge>
                ) : null}
                {user.state === 'active' ? null : <span>{user.state.replaceAll('_', ' ')}</span>}
              </>
            }
            after={user.created_at ? <TimeAgo at={user.created_at} /> : null}
          />
        ))}
      </DataList>
    </AdminFrame>
  );
}
