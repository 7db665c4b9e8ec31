/** Vulnerabilities of a project, with the trend of the last days. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { vulnerabilityTrend } from '../../lib/vulnerabilities.ts';
import { Page } from '../../ui/Page.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { Trend } from './Trend.tsx';
import { VulnerabilityReport } from './VulnerabilityReport.tsx';

export default function VulnerabilitiesPage() {
  const search = useSearch({ from: '/p/$path/security/vulnerability_report' });
  const navigate = useNavigate({ from: '/p/$path/security/vulnerability_report' });
  const { project, path, ...view } = useProject();
  const { data: trend } = useQuery(vulnerabilityTrend(path));
  return (
    <Page title={`Vulnerabilities · ${project.name_with_namespace}`} heading="Vulnerabilities">
      <VulnerabilityReport
        place={{ kind: 'project', path }}
        search={search}
        change={(changed) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })}
        decides={view.level >= level.maintainer && !project.archived}
        trend={trend ? <Trend days={trend.days} /> : null}
      />
    </Page>
  );
}
