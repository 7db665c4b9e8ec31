/** A new password for those whose password was set by somebody else, or is too old. */
import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { changePassword, passwordRules, type Registration } from '../../lib/registration.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import classes from './session.module.css';

interface ExpiredPasswordProps {
  readonly login: string;
  readonly password: string;
  readonly rules: Registration;
  /** Goes on with the sign-in. */
  changed(password: string): Promise<void>;
}

export function ExpiredPassword({ login, password, rules, changed }: ExpiredPasswordProps) {
  const [fresh, setFresh] = useState('');
  const sending = useForm(async () => {
    await changePassword(login, password, fresh);
    await changed(fresh);
  });
  return (
    <Page title="Choose a new password" narrow="form">
      <form {...sending.form} className={classes.form}>
        <FormError error={sending.reason('password') ? null : sending.error} />
        <Stack gap="md">
          <Alert variant="light" role="note">
            You must change your password before you can continue.
          </Alert>
          <PasswordInput
            label="New password"
            name="new_password"
            description={passwordRules(rules)}
            autoComplete="new-password"
            required
            autoFocus
            value={fresh}
            onChange={(event) => setFresh(event.currentTarget.value)}
            error={sending.reason('password')}
          />
          <Button type="submit" loading={sending.pending}>
            Change password and sign in
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
