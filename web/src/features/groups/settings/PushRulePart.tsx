/** Push rules of a group. */
import { groupPushRule } from '../../../lib/push-rules.ts';
import { PushRules } from '../../push-rules/PushRules.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function PushRulePart() {
  const { path, group } = useGroup();
  return <PushRules place={groupPushRule(path)} id={group.id} />;
}
