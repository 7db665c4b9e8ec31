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
      <Page title="Address confirmed" narrow="form">
        <Stack gap="md">
          <Text>
            <strong>{confirm.data.email}</strong> is yours.
          </Text>
          <div>
            <LinkButton to="/" variant="filled">
              Continue
            </LinkButton>
          </div>
        </Stack>
      </Page>
    );
  return (
    <Page title="Confirm your email address" narrow="form">
      <Stack gap="md">
        {stale ? (
          <Alert color="red" variant="light" role="alert">
            This link is invalid: it was already used, or has expired.{' '}
            <Anchor component={Link} to="/users/confirmation/new" underline="always" inherit>
              Request a new link
            </Anchor>
          </Alert>
        ) : (
          <FormError error={confirm.error} />
        )}
        <Text>Confirm that you received our message.</Text>
        <div>
          <Button autoFocus onClick={() => confirm.mutate()} loading={confirm.isPending}>
            Confirm email address
          </Button>
        </div>
      </Stack>
    </Page>
  );
}
