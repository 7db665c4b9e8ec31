/** Personal access tokens. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../lib/session.ts';
import { ownTokens } from '../../lib/tokens.ts';
import { Page } from '../../ui/Page.tsx';
import { FeedToken } from './FeedToken.tsx';
import { administratorScopes, personalScopes } from './scopes.ts';
import { TokenManager } from './TokenManager.tsx';

export default function TokensPage() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <Page title="Access tokens" narrow>
      <Stack gap="lg">
        <Text c="var(--mr-dim)">Use access tokens as the password for git over HTTP, and for the API.</Text>
        <TokenManager
          source={ownTokens(session?.user?.id)}
          scopes={session?.user?.is_admin ? administratorScopes : personalScopes}
        />
      </Stack>
      {session?.user ? <FeedToken username={session.user.username} /> : null}
    </Page>
  );
}
