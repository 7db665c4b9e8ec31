/** Adding a security key or passkey: a name and the password, then the browser asks for the key. */
import { Alert, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { keysAvailable, makeKey } from './security-keys.ts';

interface Props {
  done(recoveryCodes: readonly string[]): Promise<void>;
  cancel(): void;
}

export function AddKey({ done, cancel }: Props) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const sending = useForm(async () => {
    const { challenge, options } = await unwrap(
      client.POST('/user/two_factor/security_keys/challenge', { body: { current_password: password } }),
    );
    const added = await unwrap(
      client.POST('/user/two_factor/security_keys', {
        body: { challenge, name, credential: await makeKey(options) },
      }),
    );
    await done(added.recovery_codes);
  });
  if (!keysAvailable())
    return (
      <Alert variant="light" title="Not available at this address">
        Browsers support security keys only over HTTPS with a host name, or on localhost.
      </Alert>
    );
  return (
    <form {...sending.form} style={{ maxWidth: 380 }}>
      <FormError error={sending.reason('current_password') ? null : sending.error} />
      <Stack gap="md">
        <TextInput
          label="Name"
          description="A name for this key"
          required
          autoFocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={sending.reason('current_password')}
        />
        <FormActions action="Register key" pending={sending.pending} cancel={cancel} />
      </Stack>
    </form>
  );
}
