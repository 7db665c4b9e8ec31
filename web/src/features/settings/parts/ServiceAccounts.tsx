/** Service accounts of a project. */
import { projectServiceAccounts } from '../../../lib/service-accounts.ts';
import { useProject } from '../../projects/useProject.ts';
import { ServiceAccountManager } from '../../service-accounts/ServiceAccountManager.tsx';

export default function ServiceAccounts() {
  const { path } = useProject();
  return (
    <>
      <h2>Service accounts</h2>
      <ServiceAccountManager place={projectServiceAccounts(path)} />
    </>
  );
}
