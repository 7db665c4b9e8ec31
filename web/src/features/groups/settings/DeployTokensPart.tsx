/** Deploy tokens of a group. */
import { groupDeployTokens } from '../../../lib/tokens.ts';
import { DeployTokenManager } from '../../tokens/DeployTokenManager.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function DeployTokensPart() {
  const { path } = useGroup();
  return <DeployTokenManager source={groupDeployTokens(path)} />;
}
