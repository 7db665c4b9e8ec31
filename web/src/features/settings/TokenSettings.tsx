/** Access tokens and deploy tokens of a project. */
import { Text } from '@mantine/core';
import { projectDeployTokens, projectTokens } from '../../lib/tokens.ts';
import { useProject } from '../projects/useProject.ts';
import { DeployTokenManager } from '../tokens/DeployTokenManager.tsx';
import { placeScopes } from '../tokens/scopes.ts';
import { TokenManager } from '../tokens/TokenManager.tsx';

export function AccessTokenSettings() {
  const { path, level } = useProject();
  return (
    <>
      <h2>Access tokens</h2>
      <Text c="var(--mr-dim)" mb="md">
        Each token has a bot user that is a member of this project with the role of the token. Revoking the token
        removes the bot user.
      </Text>
      <TokenManager source={projectTokens(path)} scopes={placeScopes} highest={level} />
    </>
  );
}

export function DeployTokenSettings() {
  const { path } = useProject();
  return (
    <>
      <h2>Deploy tokens</h2>
      <DeployTokenManager source={projectDeployTokens(path)} />
    </>
  );
}
