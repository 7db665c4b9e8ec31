/** Removing one's own account, with the password. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { pageCall } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Modal } from '../../ui/Modal.tsx';
import { useFields } from '../../ui/TextField.tsx';
import classes from './account.module.css';
import { CurrentPassword } from './CurrentPassword.tsx';

export function DeleteAccount() {
  const [opened, setOpened] = useState(false);
  const fields = useFields({ current_password: '' });
  const sending = useForm(async () => {
    // As a body: what is in an address ends up in logs of others.
    await pageCall('DELETE', '/api/v4/user', fields.values);
    // Nothing that was fetched is this browser's any more.
    location.assign('/users/sign_in');
  });
  const close = () => {
    fields.replace({ current_password: '' });
    setOpened(false);
  };
  return (
    <section className={classes.section} aria-label="Delete account">
      <h2>Delete account</h2>
      <Stack gap="sm">
        <Text c="var(--mr-dim)">
          Your personal projects will be deleted. What you wrote elsewhere stays and is attributed to the ghost user.
        </Text>
        <Group>
          <Button color="red" variant="light" size="xs" onClick={() => setOpened(true)}>
            Delete account
          </Button>
        </Group>
      </Stack>
      <Modal opened={opened} onClose={close} title="Delete account">
        <form {...sending.form}>
          <Stack gap="md">
            <FormError error={sending.reason('current_password') ? null : sending.error} />
            <Text>You will be signed out everywhere immediately, and you cannot restore the account yourself.</Text>
            <CurrentPassword of={fields} reason={sending.reason} />
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" color="red" loading={sending.pending}>
                Delete account
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </section>
  );
}
