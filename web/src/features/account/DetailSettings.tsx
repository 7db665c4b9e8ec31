/** Name and details of one's own account. */
import { Checkbox, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import * as accounts from '../../lib/accounts.ts';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { ProfileFields, profileValues } from '../profile/ProfileFields.tsx';
import { Save } from '../settings/Save.tsx';
import classes from './account.module.css';
import { useOwnAccount } from './useOwnAccount.ts';

function DetailForm({ account, again }: { account: Schemas['UserAccount']; again: () => Promise<void> }) {
  const { data: emails } = useSuspenseQuery(accounts.ownEmails());
  const fields = useFields({
    name: account.name,
    private_profile: account.private_profile,
    ...profileValues(account),
  });
  const sending = useForm(async () => {
    await unwrap(client.PUT('/user', { body: fields.values }));
    await again();
  });
  const confirmed = emails.filter(({ confirmed_at }) => confirmed_at !== null).map(({ email }) => email);
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextField of={fields} reason={sending.reason} name="name" label="Name" required />
        <ProfileFields
          of={fields}
          reason={sending.reason}
          addresses={account.confirmed_at === null ? confirmed : [...new Set([account.email, ...confirmed])]}
        />
        <Checkbox
          label="Private profile"
          description="Hides your details, followers and contributed projects from other users"
          checked={fields.values.private_profile}
          onChange={(event) => fields.set('private_profile', event.currentTarget.checked)}
        />
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}

export function DetailSettings() {
  const { account, again } = useOwnAccount();
  return (
    <section className={classes.section} aria-label="Details">
      <h2>Details</h2>
      <DetailForm account={account} again={again} />
    </section>
  );
}
