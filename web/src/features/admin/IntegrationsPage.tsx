/** Integrations of the instance: defaults of all groups and projects. */
import { instanceIntegrations } from '../../lib/integrations.ts';
import { IntegrationManager } from '../integrations/IntegrationManager.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function IntegrationsPage() {
  return (
    <AdminFrame title="Integrations">
      <IntegrationManager place={instanceIntegrations} />
    </AdminFrame>
  );
}
