/** The page of the vulnerabilities of a project. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { fromSegment } from '../lib/urls.ts';
import { type VulnerabilityFilter, vulnerabilities } from '../lib/vulnerabilities.ts';
import { load } from '../loaders.ts';
import { number, text } from './base.ts';
import { under } from './project.ts';

export const vulnerabilityReport = createRoute({
  ...under,
  path: '/security/vulnerability_report',
  validateSearch: (search): VulnerabilityFilter => ({
    page: number(search.page),
    state: text(search.state),
    severity: text(search.severity),
    report_type: text(search.report_type),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(vulnerabilities(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/vulnerabilities/VulnerabilitiesPage.tsx')),
});
