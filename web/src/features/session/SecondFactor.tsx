/** The second half of signing in: a security key, a code of an application, or a recovery code. */
import { Anchor, Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { proveSignIn, type SessionState, type WaitingSignIn } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { askKey } from '../account/security-keys.ts';

interface Props {
  readonly waiting: WaitingSignIn;
  enter(session: SessionState): void;
  back(): void;
}

export function SecondFactor({ waiting, enter, back }: Props) {
  const { challenge, methods } = waiting;
  const [code, setCode] = useState('');
  const [recovery, setRecovery] = useState(!methods.includes('totp'));
  const key = useMutation({
    mutationFn: async () => enter(await proveSignIn(challenge, { webauthn: await askKey(waiting.webauthn) })),
  });
  const sending = useForm(async () => enter(await proveSignIn(challenge, { code })));
  const codes = methods.includes('totp') || methods.includes('recovery_code');
  return (
    <Page title="Second factor" narrow="form">
      <Stack gap="md" style={{ maxWidth: 380 }}>
        {methods.includes('webauthn') ? (
          <>
            <FormError error={key.error} />
            <Text c="var(--mr-dim)">Touch your security key, or use the passkey of this device.</Text>
            <Button onClick={() => key.mutate()} loading={key.isPending}>
              Use security key
            </Button>
          </>
        ) : null}
        {methods.includes('webauthn') && codes ? <Divider label="or" /> : null}
        {codes ? (
          <form {...sending.form}>
            <FormError error={sending.error} />
            <Stack gap="md">
              <TextInput
                label={recovery ? 'Recovery code' : 'Code of the authenticator application'}
                name="code"
                autoComplete="one-time-code"
                inputMode={recovery ? 'text' : 'numeric'}
                required
                autoFocus={!methods.includes('webauthn')}
                value={code}
                onChange={(event) => setCode(event.currentTarget.value)}
              />
              <Button
                type="submit"
                loading={sending.pending}
                variant={methods.includes('webauthn') ? 'default' : 'filled'}
              >
                Sign in
              </Button>
            </Stack>
          </form>
        ) : null}
        {methods.includes('totp') && methods.includes('recovery_code') ? (
          <Anchor component="button" type="button" ta="left" onClick={() => setRecovery(!recovery)}>
            {recovery ? 'Use the authenticator application' : 'Use a recovery code'}
          </Anchor>
        ) : null}
        <Anchor component="button" type="button" ta="left" onClick={back}>
          Sign in as a different user
        </Anchor>
      </Stack>
    </Page>
  );
}
