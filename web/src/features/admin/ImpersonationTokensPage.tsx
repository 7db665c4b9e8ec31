/** Tokens with which administrators act as a person, over the API and git. */
import { Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import * as accounts from '../../lib/accounts.ts';
import { impersonationTokens } from '../../lib/tokens.ts';
import { LinkButton } from '../../ui/links.ts';
import { personalScopes } from '../tokens/scopes.ts';
import { TokenManager } from '../tokens/TokenManager.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function ImpersonationTokensPage() {
  const { username } = useParams({ from: '/administration/admin/users/$username/impersonation_tokens' });
  const { data: user } = useSuspenseQuery(accounts.userByName(username));
  return (
    <AdminFrame
      title={`Impersonation tokens of ${user.name}`}
      actions={
        <LinkButton to="/admin/users/$username" params={{ username }}>
          Back to the account
        </LinkButton>
      }
    >
      <Stack gap="lg">
        <Text c="var(--mr-dim)">These tokens act as @{user.username}, who cannot see them.</Text>
        <TokenManager source={impersonationTokens(user.id)} scopes={personalScopes} />
      </Stack>
    </AdminFrame>
  );
}
