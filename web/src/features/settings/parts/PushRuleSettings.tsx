/** Push rules of a project. */
import { projectPushRule } from '../../../lib/push-rules.ts';
import { useProject } from '../../projects/useProject.ts';
import { PushRules } from '../../push-rules/PushRules.tsx';

export default function PushRuleSettings() {
  const { path } = useProject();
  return (
    <>
      <h2>Push rules</h2>
      <PushRules place={projectPushRule(path)} />
    </>
  );
}
