/** Programs that may use the account, and programs that the person registered. */
import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { authorizedApplications, ownApplications, withdraw } from '../../lib/applications.ts';
import { sessionQuery } from '../../lib/session.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { ApplicationManager } from '../applications/ApplicationManager.tsx';
import { administratorScopes, personalScopes } from '../tokens/scopes.ts';

function Authorized() {
  const { data: authorized } = useSuspenseQuery(authorizedApplications());
  const cache = useQueryClient();
  const end = useMutation({
    mutationFn: withdraw,
    onSuccess: () => cache.invalidateQueries({ queryKey: authorizedApplications().queryKey }),
  });
  return (
    <Stack gap="sm">
      <FormError error={end.error} />
      {authorized.length === 0 ? (
        <Text c="var(--mr-dim)">No program may use your account.</Text>
      ) : (
        <DataList label="Authorised applications">
          {authorized.map(({ id, application_name, scopes, authorized_at }) => {
            const name = application_name ?? 'Programs that know your password';
            return (
              <DataRow
                key={id}
                title={name}
                meta={
                  <>
                    <span>{scopes.join(', ')}</span>
                    <span>
                      since <TimeAgo at={authorized_at} />
                    </span>
                  </>
                }
                after={
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Revoke ${name}`}
                    loading={end.isPending && end.variables === id}
                    onClick={() => end.mutate(id)}
                  >
                    Revoke
                  </Button>
                }
              />
            );
          })}
        </DataList>
      )}
    </Stack>
  );
}

export default function ApplicationsPage() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <Page title="Applications" narrow>
      <Stack gap="lg">
        <Title order={2}>May use your account</Title>
        <Authorized />
        <Title order={2}>Yours</Title>
        <Text c="var(--mr-dim)">Programs that you registered so that they can ask people for access.</Text>
        <ApplicationManager
          source={ownApplications}
          scopes={session?.user?.is_admin ? administratorScopes : personalScopes}
        />
      </Stack>
    </Page>
  );
}
