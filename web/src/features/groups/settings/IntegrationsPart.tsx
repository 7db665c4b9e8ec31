/** Integrations of a group. */
import { groupIntegrations } from '../../../lib/integrations.ts';
import { IntegrationManager } from '../../integrations/IntegrationManager.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function IntegrationsPart() {
  const { path } = useGroup();
  return <IntegrationManager place={groupIntegrations(path)} />;
}
