/** The push rule of the instance. */
import { instancePushRule } from '../../lib/push-rules.ts';
import { PushRules } from '../push-rules/PushRules.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function PushRulePage() {
  return (
    <AdminFrame title="Push rules">
      <PushRules place={instancePushRule} />
    </AdminFrame>
  );
}
