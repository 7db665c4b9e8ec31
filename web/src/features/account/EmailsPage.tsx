/** Addresses of one's own: the primary one and others, whether they are confirmed, adding and removing. */
import { Badge, Button, Stack, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import * as accounts from '../../lib/accounts.ts';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { TextField, useFields } from '../../ui/TextField.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from './account.module.css';
import { PrimaryAddress } from './PrimaryAddress.tsx';
import { Resend } from './Resend.tsx';
import { useOwnAccount } from './useOwnAccount.ts';

function Confirmed({ at }: { at: string | null }) {
  return at ? (
    <span>
      confirmed <TimeAgo at={at} />
    </span>
  ) : (
    <span>not confirmed: open the link in the message that was sent to it</span>
  );
}

export default function EmailsPage() {
  const { account } = useOwnAccount();
  const { data: emails } = useSuspenseQuery(accounts.ownEmails());
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['user', 'emails'] });
  const fields = useFields({ email: '' });
  const sending = useForm(async () => {
    await unwrap(client.POST('/user/emails', { body: fields.values }));
    fields.replace({ email: '' });
    await again();
  });
  const leaving = useConfirmed(
    ({ id }: Schemas['Email']) =>
      unwrap(client.DELETE('/user/emails/{email_id}', { params: { path: { email_id: id } } })),
    again,
  );
  return (
    <Page title="Email addresses" narrow>
      <Stack gap="lg">
        <Text c="var(--mr-dim)">
          Notifications go to the primary address. Commits with any confirmed address are attributed to you.
        </Text>
        <DataList label="Email addresses">
          <DataRow
            title={account.email}
            meta={<Confirmed at={account.confirmed_at} />}
            after={
              <>
                <Resend pending={account.confirmed_at === null} email={account.email} />
                <Badge variant="light">Primary</Badge>
              </>
            }
          />
          {emails.map((email) => (
            <DataRow
              key={email.id}
              title={email.email}
              meta={<Confirmed at={email.confirmed_at} />}
              after={
                <>
                  <Resend pending={email.confirmed_at === null} email={email.email} id={email.id} />
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Remove ${email.email}`}
                    onClick={() => leaving.ask(email)}
                  >
                    Remove
                  </Button>
                </>
              }
            />
          ))}
        </DataList>
      </Stack>
      <PrimaryAddress />
      <section className={classes.section} aria-label="Add an address">
        <h2>Add an address</h2>
        <form {...sending.form}>
          <FormError error={sending.reason('email') ? null : sending.error} />
          <Stack gap="md" align="flex-start">
            <TextField
              of={fields}
              reason={sending.reason}
              name="email"
              label="Email"
              type="email"
              required
              w="100%"
              description="You will receive a message to confirm it"
              autoComplete="email"
            />
            <Button type="submit" loading={sending.pending}>
              Add address
            </Button>
          </Stack>
        </form>
      </section>
      <ConfirmName
        {...leaving.dialog}
        title="Remove address"
        text="Commits with this address are no longer attributed to you."
        name={leaving.asked?.email ?? ''}
        action="Remove address"
      />
    </Page>
  );
}
