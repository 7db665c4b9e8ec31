/** Another primary address: with the password, and it counts when it is confirmed. */
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TextField, useFields } from '../../ui/TextField.tsx';
import classes from './account.module.css';
import { CurrentPassword } from './CurrentPassword.tsx';
import { useOwnAccount } from './useOwnAccount.ts';

export function PrimaryAddress() {
  const { again } = useOwnAccount();
  const fields = useFields({ email: '', current_password: '' });
  const [asked, setAsked] = useState<string | null>(null);
  const sending = useForm(async () => {
    const { email } = fields.values;
    const changed = await unwrap(client.PUT('/user', { body: fields.values }));
    setAsked(changed.email === email ? null : email);
    fields.replace({ email: '', current_password: '' });
    await again();
  });
  const named = sending.reason('email') ?? sending.reason('current_password');
  return (
    <section className={classes.section} aria-label="Primary address">
      <h2>Primary address</h2>
      <form {...sending.form}>
        <FormError error={named ? null : sending.error} />
        <Stack gap="md" align="flex-start">
          <TextField
            of={fields}
            reason={sending.reason}
            name="email"
            label="New primary email"
            type="email"
            required
            w="100%"
            autoComplete="email"
          />
          <CurrentPassword of={fields} reason={sending.reason} />
          {asked ? (
            <Text role="status">Open the link that was sent to {asked}: until then nothing changes.</Text>
          ) : null}
          <Button type="submit" variant="default" loading={sending.pending}>
            Change primary address
          </Button>
        </Stack>
      </form>
    </section>
  );
}
