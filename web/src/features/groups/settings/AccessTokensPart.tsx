/** Access tokens of a group. */
import { Text } from '@mantine/core';
import { groupTokens } from '../../../lib/tokens.ts';
import { placeScopes } from '../../tokens/scopes.ts';
import { TokenManager } from '../../tokens/TokenManager.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function AccessTokensPart() {
  const { path } = useGroup();
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        Each token has a bot user that is a member of this group with the role of the token. Revoking the token removes
        the bot user.
      </Text>
      <TokenManager source={groupTokens(path)} scopes={placeScopes} />
    </>
  );
}
