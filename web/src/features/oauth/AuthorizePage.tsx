/** An application asks for access: agreeing, denying, and what is wrong with a request that nobody else may be told. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answerConsent, consentRequest } from '../../lib/consent.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Asking } from './Asking.tsx';
import classes from './oauth.module.css';

const leave = (location: string) => window.location.replace(location);

export default function AuthorizePage() {
  const { data: view, error } = useQuery(consentRequest());
  const answer = useMutation({ mutationFn: answerConsent, onSuccess: leave });
  const { mutate } = answer;
  // Nothing to ask: the browser goes on by itself.
  useEffect(() => {
    if (view?.location !== undefined) leave(view.location);
    else if (view && !view.ask) mutate(true);
  }, [view, mutate]);
  if (error)
    return (
      <Page title="This request is invalid" narrow>
        <Stack gap="sm" className={classes.panel}>
          <FormError error={error} />
          <Text c="var(--mr-dim)">
            The application that sent you here received nothing. Its developers need to fix the request.
          </Text>
        </Stack>
      </Page>
    );
  if (!view || view.location !== undefined || !view.ask)
    return (
      <Page title="Access" narrow>
        <FormError error={answer.error} />
      </Page>
    );
  const pending = answer.isPending || answer.isSuccess;
  return (
    <Page title="Allow access?" narrow>
      <Stack gap="lg" className={classes.panel}>
        <FormError error={answer.error} />
        <Asking application={view.application} scopes={view.scopes} />
        {view.application.confidential ? null : (
          <Text c="var(--mr-dim)">This application cannot prove its identity. Continue only if you started it.</Text>
        )}
        <Text>
          Your browser will then be redirected to <strong>{view.redirect_host}</strong>.
        </Text>
        <Group gap="sm">
          <Button loading={pending && answer.variables} disabled={pending} onClick={() => mutate(true)}>
            Allow
          </Button>
          <Button variant="default" disabled={pending} onClick={() => mutate(false)}>
            Deny
          </Button>
        </Group>
      </Stack>
    </Page>
  );
}
