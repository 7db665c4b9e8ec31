/** What the link in an invitation leads to: joining with the account that is signed in, or declining. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';

export default function InvitationPage() {
  const { invitation_token = '' } = useSearch({ from: '/-/invites' });
  const body = { invitation_token };
  const { data: session } = useQuery(sessionQuery);
  const { data: invitation, error } = useQuery({
    queryKey: ['invitation', invitation_token],
    queryFn: () => unwrap(client.POST('/invitations/look', { body })),
    retry: false,
  });
  const accept = useMutation({
    mutationFn: () => unwrap(client.POST('/invitations/accept', { body })),
    onSuccess: ({ web_url }) => window.location.assign(web_url),
  });
  const decline = useMutation({ mutationFn: () => unwrap(client.POST('/invitations/decline', { body })) });
  const here = `/-/invites?invitation_token=${encodeURIComponent(invitation_token)}`;
  if (decline.isSuccess)
    return (
      <Page title="Invitation" narrow>
        <Text>You declined the invitation.</Text>
      </Page>
    );
  return (
    <Page title="Invitation" narrow>
      <FormError error={accept.error ?? decline.error} />
      {error ? <Text>This link was already used, has expired, or was canceled. Ask for a new invitation.</Text> : null}
      {invitation ? (
        <>
          <Text mb="md">
            {invitation.created_by_name ?? 'Somebody'} invites {invitation.invite_email} to the {invitation.source_type}{' '}
            <strong>{invitation.source_name}</strong>, as {invitation.role}.
          </Text>
          <Group>
            {session?.user ? (
              <Button onClick={() => accept.mutate()} loading={accept.isPending}>
                Join as {session.user.name}
              </Button>
            ) : (
              <>
                <Button component="a" href={`/users/sign_in?return_to=${encodeURIComponent(here)}`}>
                  Sign in to join
                </Button>
                <Button component="a" variant="default" href="/users/sign_up">
                  Create an account
                </Button>
              </>
            )}
            <Button variant="default" onClick={() => decline.mutate()} loading={decline.isPending}>
              Decline
            </Button>
          </Group>
        </>
      ) : null}
    </Page>
  );
}
