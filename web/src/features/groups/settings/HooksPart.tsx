/** Webhooks of a group. */
import { groupHooks } from '../../../lib/hooks.ts';
import { HookManager } from '../../hooks/HookManager.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function HooksPart() {
  const { path } = useGroup();
  return <HookManager place={groupHooks(path)} />;
}
