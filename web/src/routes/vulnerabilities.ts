/** One vulnerability, and the reports of a project, a group and the instance. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { missing } from '../lib/api.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import type { VulnerabilityFilter } from '../lib/vulnerabilities.ts';
import { load } from '../loaders.ts';
import { group, inAdmin, number, text } from './base.ts';
import { under } from './project.ts';

const vulnerabilitiesData = () => import('../lib/vulnerabilities.ts');
const filtered = {
  validateSearch: (search: Record<string, unknown>): VulnerabilityFilter => ({
    page: number(search.page),
    state: text(search.state),
    severity: text(search.severity),
    report_type: text(search.report_type),
    project_id: number(search.project_id),
  }),
  loaderDeps: ({ search }: { search: VulnerabilityFilter }) => search,
} as const;

export const vulnerabilityReport = createRoute({
  ...under,
  ...filtered,
  path: '/security/vulnerability_report',
  loader: async ({ params, deps }) =>
    load((await vulnerabilitiesData()).vulnerabilities({ kind: 'project', path: fromSegment(params.path) }, deps)),
  component: lazyRouteComponent(() => import('../features/vulnerabilities/VulnerabilitiesPage.tsx')),
});

export const vulnerabilityRoute = createRoute({
  ...under,
  path: '/security/vulnerabilities/$id',
  loader: async ({ params }) => {
    const { vulnerability } = await import('../lib/vulnerability.ts');
    const { project } = await queries.ensureQueryData(vulnerability(Number(params.id)));
    if (project.path_with_namespace !== fromSegment(params.path)) throw missing();
  },
  component: lazyRouteComponent(() => import('../features/vulnerabilities/VulnerabilityPage.tsx')),
});

export const groupVulnerabilityReport = createRoute({
  ...filtered,
  getParentRoute: () => group,
  path: '/security/vulnerability_report',
  loader: async ({ params, deps }) =>
    load((await vulnerabilitiesData()).vulnerabilities({ kind: 'group', path: fromSegment(params.path) }, deps)),
  component: lazyRouteComponent(() => import('../features/vulnerabilities/GroupVulnerabilitiesPage.tsx')),
});

export const instanceVulnerabilityReport = createRoute({
  ...inAdmin,
  ...filtered,
  path: '/admin/vulnerability_report',
  loader: async ({ deps }) => load((await vulnerabilitiesData()).vulnerabilities({ kind: 'instance' }, deps)),
  component: lazyRouteComponent(() => import('../features/admin/VulnerabilityReportPage.tsx')),
});
