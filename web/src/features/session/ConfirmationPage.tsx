/** The link of a mail that confirms an address. It takes a click, so that no reader of mails confirms by looking. */
import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { ApiError } from '../../lib/api.ts';
import { confirmAddress } from '../../lib/registration.ts';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';

export default function ConfirmationPage() {
  const { confirmation_token: token = '' } = useSearch({ from: '/users/confirmation' });
  const cache = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => confirmAddress(token),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['user'] }),
  });
  const stale = confirm.error instanceof ApiError && 'confirmation_token' in confirm.error.fields;
  if (confirm.data)
    return (
      <Page title="Address confirmed" narrow>
        <Stack gap="md">
          <Text>
            <strong>{confirm.data.email}</strong> is yours.
          </Text>
          <div>
            <LinkButton to="/" variant="filled">
              Go on
            </LinkButton>
          </div>
        </Stack>
      </Page>
    );
  return (
    <Page title="Confirm your address" narrow>
      <Stack gap="md">
        {stale ? (
          <Alert color="red" variant="light" role="alert">
            This link does not work: it was used, or is older than three days.{' '}
            <Anchor component={Link} to="/users/confirmation/new" underline="always" inherit>
              Ask for a new one
            </Anchor>
          </Alert>
        ) : (
          <FormError error={confirm.error} />
        )}
        <Text>Press the button to confirm that the message reached you.</Text>
        <div>
          <Button autoFocus onClick={() => confirm.mutate()} loading={confirm.isPending}>
            Confirm the address
          </Button>
        </div>
      </Stack>
    </Page>
  );
}
