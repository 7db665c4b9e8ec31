/** A page that takes an address and has a message sent to it; the answer tells nobody whether there is an account. */
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import classes from './session.module.css';

interface AskByMailProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  send(email: string): Promise<{ readonly message: string }>;
}

export function AskByMail({ title, text, action, send }: AskByMailProps) {
  const [email, setEmail] = useState('');
  const [told, setTold] = useState<string | null>(null);
  const sending = useForm(async () => {
    setTold(null);
    setTold((await send(email)).message);
  });
  return (
    <Page title={title} narrow="form">
      <form {...sending.form} className={classes.form}>
        <FormError error={sending.reason('email') ? null : sending.error} />
        {told === null ? null : (
          <Alert variant="light" role="status" mb="md">
            {told}
          </Alert>
        )}
        <Stack gap="md">
          <Text c="var(--mr-dim)">{text}</Text>
          <TextInput
            label="Email"
            name="email"
            type="email"
            autoComplete="email"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={sending.reason('email')}
          />
          <Button type="submit" loading={sending.pending}>
            {action}
          </Button>
        </Stack>
      </form>
      <div className={classes.links}>
        <Link to="/users/sign_in">Back to sign-in</Link>
      </div>
    </Page>
  );
}
