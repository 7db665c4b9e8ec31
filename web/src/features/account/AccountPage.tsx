/** The name of the account, how it is protected, and who else signs it in. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Facts } from '../profile/Facts.tsx';
import classes from './account.module.css';
import { CurrentPassword } from './CurrentPassword.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { useOwnAccount } from './useOwnAccount.ts';

function Username() {
  const { account, again } = useOwnAccount();
  const [changing, setChanging] = useState(false);
  const fields = useFields({ username: account.username, current_password: '' });
  const sending = useForm(async () => {
    await unwrap(client.PUT('/user', { body: fields.values }));
    fields.set('current_password', '');
    await again();
    setChanging(false);
  });
  if (!changing)
    return (
      <Stack gap="sm">
        <Text>
          <code>@{account.username}</code>
        </Text>
        <Group>
          <Button variant="default" size="xs" onClick={() => setChanging(true)}>
            Change username
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form {...sending.form}>
      <FormError error={sending.reason('username') || sending.reason('current_password') ? null : sending.error} />
      <Stack gap="md">
        <Alert variant="light" title="What else changes" role="note">
          The URLs of your profile and personal projects. Old project URLs redirect to the new ones until somebody else
          takes your old username.
        </Alert>
        <TextField of={fields} reason={sending.reason} name="username" label="New username" required autoFocus />
        <CurrentPassword of={fields} reason={sending.reason} />
        <Group>
          <Button
            type="submit"
            color="red"
            disabled={fields.values.username === account.username}
            loading={sending.pending}
          >
            Change username
          </Button>
          <Button variant="default" onClick={() => setChanging(false)}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export default function AccountPage() {
  const { account } = useOwnAccount();
  return (
    <Page title="Account" narrow>
      <Facts
        facts={[
          ['Account', `#${account.id}`],
          ['Created', <TimeAgo key="created" at={account.created_at} />],
          ['Last sign-in', <TimeAgo key="sign-in" at={account.last_sign_in_at} />],
          ['Project limit', account.projects_limit?.toLocaleString('en')],
        ]}
      />
      <section className={classes.section} aria-label="Username">
        <h2>Username</h2>
        <Username />
      </section>
      <section className={classes.section} aria-label="Two-factor authentication">
        <h2>Two-factor authentication</h2>
        <Stack gap="sm">
          <Text>{account.two_factor_enabled ? 'On.' : 'Off: a password is enough to sign in.'}</Text>
          <Group>
            <LinkButton to="/-/profile/two_factor_auth">
              {account.two_factor_enabled ? 'Manage' : 'Set up two-factor authentication'}
            </LinkButton>
          </Group>
        </Stack>
      </section>
      {account.identities.length > 0 ? (
        <section className={classes.section} aria-label="External identities">
          <h2>External identities</h2>
          <Facts facts={account.identities.map(({ provider, extern_uid }) => [provider, extern_uid] as const)} />
        </section>
      ) : null}
      <DeleteAccount />
    </Page>
  );
}
