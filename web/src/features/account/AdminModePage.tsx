/** Administrators prove themselves again before they have their rights. */
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { enterAdminMode } from '../../lib/api.ts';
import { switchSession } from '../../lib/session.ts';
import { ownPath } from '../../lib/urls.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';

export default function AdminModePage() {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const router = useRouter();
  const { return_to } = useSearch({ from: '/admin/session/new' });
  const sending = useForm(async () => {
    switchSession(await enterAdminMode(password, code));
    router.history.push(ownPath(return_to, '/admin/users'));
  });
  return (
    <Page title="Admin mode" narrow>
      <form {...sending.form} style={{ maxWidth: 380 }}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <Text c="var(--mr-dim)">
            Enter your password to use administrator rights. Admin mode ends after six hours, or when you leave it.
          </Text>
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <TextInput
            label="Code or recovery code"
            description="Only if two-factor authentication is on"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Button type="submit" loading={sending.pending}>
            Enter admin mode
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
