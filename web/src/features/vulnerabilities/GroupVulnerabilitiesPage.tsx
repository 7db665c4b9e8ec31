/** Vulnerabilities of all projects of a group. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/Page.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { level } from '../projects/useProject.ts';
import { VulnerabilityReport } from './VulnerabilityReport.tsx';

export default function GroupVulnerabilitiesPage() {
  const search = useSearch({ from: '/g/$path/security/vulnerability_report' });
  const navigate = useNavigate({ from: '/g/$path/security/vulnerability_report' });
  const { group, path, level: own } = useGroup();
  return (
    <Page title={`Vulnerabilities · ${group.full_name}`} heading="Vulnerabilities">
      <VulnerabilityReport
        place={{ kind: 'group', path }}
        search={search}
        change={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })}
        decides={own >= level.maintainer}
      />
    </Page>
  );
}
