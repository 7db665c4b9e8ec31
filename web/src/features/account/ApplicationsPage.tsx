/** Programs that may use the account, and programs that the person registered. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { authorizedApplications, ownApplications, withdraw } from '../../lib/applications.ts';
import { sessionQuery } from '../../lib/session.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { ApplicationManager } from '../applications/ApplicationManager.tsx';
import { administratorScopes, personalScopes } from '../tokens/scopes.ts';

function Authorized() {
  const { data: authorized } = useSuspenseQuery(authorizedApplications());
  const cache = useQueryClient();
  return (
    <Stack gap="sm">
      {authorized.length === 0 ? (
        <Text c="var(--mr-dim)">No applications are authorized.</Text>
      ) : (
        <DataList label="Authorized applications">
          {authorized.map(({ id, application_name, scopes, authorized_at }) => {
            const name = application_name ?? 'Applications that know your password';
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
                  <ConfirmButton
                    title="Revoke access"
                    about={`Revoke ${name}`}
                    text={`${name} can no longer use your account. Its tokens stop working immediately.`}
                    action="Revoke access"
                    label="Revoke"
                    run={() => withdraw(id)}
                    shown={() => cache.invalidateQueries({ queryKey: authorizedApplications().queryKey })}
                  />
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
        <Title order={2}>Has access to your account</Title>
        <Authorized />
        <Title order={2}>Yours</Title>
        <Text c="var(--mr-dim)">
          Applications that you registered. They can ask users for access to their accounts.
        </Text>
        <ApplicationManager
          source={ownApplications}
          scopes={session?.user?.is_admin ? administratorScopes : personalScopes}
        />
      </Stack>
    </Page>
  );
}
