/** Adding an authenticator application: the password, a picture to scan, the first code. */
import { Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { renderSVG } from 'uqr';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { Command } from '../../ui/EmptyState.tsx';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { PasswordForm } from './PasswordForm.tsx';

interface Props {
  done(recoveryCodes: readonly string[]): Promise<void>;
  cancel(): void;
}

export function AddApplication({ done, cancel }: Props) {
  const [started, setStarted] = useState<Schemas['TotpSecret'] | null>(null);
  const [code, setCode] = useState('');
  const picture = useMemo(
    () => (started ? `data:image/svg+xml,${encodeURIComponent(renderSVG(started.uri, { border: 2 }))}` : ''),
    [started],
  );
  const sending = useForm(async () => {
    const { recovery_codes } = await unwrap(client.POST('/user/two_factor/totp/confirm', { body: { code } }));
    await done(recovery_codes);
  });
  if (!started)
    return (
      <PasswordForm
        action="Continue"
        cancel={cancel}
        send={async (password) =>
          setStarted(await unwrap(client.POST('/user/two_factor/totp', { body: { current_password: password } })))
        }
      />
    );
  return (
    <form {...sending.form} style={{ maxWidth: 380 }}>
      <FormError error={sending.reason('code') ? null : sending.error} />
      <Stack gap="md">
        <Text>Scan the QR code with your authenticator application, or enter the secret.</Text>
        <img src={picture} alt="The secret as a QR code" width={200} height={200} style={{ background: '#fff' }} />
        <Command text={started.secret} label="Copy the secret" />
        <TextInput
          label="First code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={sending.reason('code')}
        />
        <FormActions action="Turn on" pending={sending.pending} cancel={cancel} />
      </Stack>
    </form>
  );
}
