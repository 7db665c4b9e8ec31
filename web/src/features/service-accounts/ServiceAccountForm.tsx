/** Making a service account, or renaming one. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ServiceAccount } from '../../lib/service-accounts.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';

interface ServiceAccountFormProps {
  /** What is renamed; without it a new one. */
  account?: ServiceAccount;
  action: string;
  send: (draft: { name: string; username: string }) => Promise<unknown>;
}

export function ServiceAccountForm({ account, action, send }: ServiceAccountFormProps) {
  const [name, setName] = useState(account?.name ?? '');
  const [username, setUsername] = useState(account?.username ?? '');
  const sending = useForm(async () => {
    await send({ name, username });
    if (account) return;
    setName('');
    setUsername('');
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Name"
          name="name"
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <TextInput
          label="Username"
          name="username"
          {...(account ? { required: true } : { description: 'Leave empty to generate one' })}
          maxLength={255}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={sending.reason('username')}
        />
        <Group>
          <Button type="submit" loading={sending.pending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
