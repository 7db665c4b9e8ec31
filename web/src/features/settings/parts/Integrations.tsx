/** Integrations of a project. */
import { projectIntegrations } from '../../../lib/integrations.ts';
import { IntegrationManager } from '../../integrations/IntegrationManager.tsx';
import { useProject } from '../../projects/useProject.ts';

export default function Integrations() {
  const { path } = useProject();
  return (
    <>
      <h2>Integrations</h2>
      <IntegrationManager place={projectIntegrations(path)} />
    </>
  );
}
