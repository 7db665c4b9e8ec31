/** A step that asks for the password again before it does something. */
import { PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';

interface Props {
  readonly action: string;
  readonly danger?: boolean;
  send(password: string): Promise<void>;
  cancel(): void;
}

export function PasswordForm({ action, danger = false, send, cancel }: Props) {
  const [password, setPassword] = useState('');
  const sending = useForm(() => send(password));
  return (
    <form {...sending.form} style={{ maxWidth: 380 }}>
      <FormError error={sending.reason('current_password') ? null : sending.error} />
      <Stack gap="md">
        <PasswordInput
          label="Your password"
          name="current_password"
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={sending.reason('current_password')}
        />
        <FormActions action={action} pending={sending.pending} danger={danger} cancel={cancel} />
      </Stack>
    </form>
  );
}
