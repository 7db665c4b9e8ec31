/** A new password, by the present one. Every session ends; this browser signs in again with the new password. */
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, readSession, signIn, unwrap } from '../../lib/api.ts';
import { passwordRules, registrationQuery } from '../../lib/registration.ts';
import { sessionQuery, switchSession } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { Save } from '../settings/Save.tsx';

const empty = { current: '', password: '', again: '' };

export default function PasswordPage() {
  const { data: rules } = useSuspenseQuery(registrationQuery);
  const { data: session } = useQuery(sessionQuery);
  const fields = useFields(empty);
  const [mismatch, setMismatch] = useState(false);
  const navigate = useNavigate();
  const username = session?.user?.username ?? '';
  const sending = useForm(async () => {
    const { current, password, again } = fields.values;
    setMismatch(password !== again);
    if (password !== again) return false;
    await unwrap(client.PUT('/user/password', { body: { current_password: current, password } }));
    const fresh = await signIn(username, password, false).catch(() => readSession());
    // With a second factor the sign-in goes on at its own page.
    switchSession(fresh.two_factor ? await readSession() : fresh);
    fields.replace(empty);
    if (!fresh.user) await navigate({ to: '/users/sign_in', search: { return_to: '/-/user_settings/password' } });
    return true;
  });
  const shared = { of: fields, reason: sending.reason, required: true, type: 'password' } as const;
  const wrong = sending.error !== null && !sending.reason('password') && !sending.reason('current_password');
  return (
    <Page title="Password" narrow>
      <form {...sending.form} style={{ maxWidth: 380 }}>
        <FormError error={wrong ? sending.error : null} />
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <Stack gap="md">
          <Text c="var(--mr-dim)">
            You will be signed out of all other sessions. Access tokens and keys are not affected.{' '}
            {rules.password_reset_enabled ? (
              <Anchor component={Link} to="/users/password/new" underline="always" inherit>
                Forgot your password?
              </Anchor>
            ) : null}
          </Text>
          <TextField
            {...shared}
            name="current"
            reason={() => sending.reason('current_password')}
            label="Current password"
            autoComplete="current-password"
          />
          <TextField
            {...shared}
            name="password"
            label="New password"
            description={passwordRules(rules)}
            autoComplete="new-password"
          />
          <TextField
            {...shared}
            name="again"
            label="Confirm new password"
            autoComplete="new-password"
            reason={() => (mismatch ? 'does not match' : undefined)}
          />
          <Save pending={sending.pending} done={sending.done && !mismatch} label="Change password" />
        </Stack>
      </form>
    </Page>
  );
}
