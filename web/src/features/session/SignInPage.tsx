/** Signing in with a name or e-mail address and a password, and a second factor where there is one. */
import { Button, Checkbox, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type SessionState, signIn, type WaitingSignIn } from '../../lib/api.ts';
import { switchSession } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { SecondFactor } from './SecondFactor.tsx';

/** Only paths of this page: an address elsewhere would make the sign-in a springboard. */
const own = (path: string | undefined): string => (path && /^\/(?![/\\])/.test(path) ? path : '/');

export default function SignInPage() {
  const { return_to } = useSearch({ from: '/users/sign_in' });
  const [login, setLogin] = useState('');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const router = useRouter();
  const [waiting, setWaiting] = useState<WaitingSignIn | null>(null);
  const enter = (session: SessionState) => {
    switchSession(session);
    router.history.push(own(return_to));
  };
  const sending = useForm(async () => {
    const session = await signIn(login, password, remember);
    if (session.two_factor) setWaiting(session.two_factor);
    else enter(session);
  });
  if (waiting) return <SecondFactor waiting={waiting} enter={enter} back={() => setWaiting(null)} />;
  return (
    <Page title="Sign in" narrow>
      <form {...sending.form} style={{ maxWidth: 380 }}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <TextInput
            label="Username or e-mail"
            name="login"
            autoComplete="username"
            required
            autoFocus
            value={login}
            onChange={(event) => setLogin(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Checkbox
            label="Remember me"
            checked={remember}
            onChange={(event) => setRemember(event.currentTarget.checked)}
          />
          <Button type="submit" loading={sending.pending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
