/** Choosing a new password with the link of a mail. */
import { Alert, Anchor, Button, PasswordInput, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { readSession } from '../../lib/api.ts';
import { passwordRules, registrationQuery, setPassword } from '../../lib/registration.ts';
import { switchSession } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import classes from './session.module.css';

export default function NewPasswordPage() {
  const { reset_password_token: token = '' } = useSearch({ from: '/users/password/edit' });
  const { data: offers } = useSuspenseQuery(registrationQuery);
  const [password, setNew] = useState('');
  const [told, setTold] = useState<string | null>(null);
  const sending = useForm(async () => {
    const { message } = await setPassword(token, password);
    // All sessions of the account have ended, perhaps this one too.
    switchSession(await readSession());
    setTold(message);
  });
  const stale = sending.reason('reset_password_token') !== undefined;
  if (told !== null)
    return (
      <Page title="New password" narrow="form">
        <Stack gap="md">
          <Alert variant="light" role="status">
            {told}
          </Alert>
          <div>
            <LinkButton to="/users/sign_in" variant="filled">
              Sign in
            </LinkButton>
          </div>
        </Stack>
      </Page>
    );
  return (
    <Page title="New password" narrow="form">
      <form {...sending.form} className={classes.form}>
        {stale ? (
          <Alert color="red" variant="light" role="alert" mb="md">
            This link is invalid: it was already used, has expired, or was replaced by a newer one.{' '}
            <Anchor component={Link} to="/users/password/new" underline="always" inherit>
              Request a new link
            </Anchor>
          </Alert>
        ) : (
          <FormError error={sending.reason('password') ? null : sending.error} />
        )}
        <Stack gap="md">
          <PasswordInput
            label="New password"
            name="password"
            description={passwordRules(offers)}
            autoComplete="new-password"
            required
            autoFocus
            value={password}
            onChange={(event) => setNew(event.currentTarget.value)}
            error={sending.reason('password')}
          />
          <Button type="submit" loading={sending.pending}>
            Change password
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
