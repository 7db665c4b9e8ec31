/** Where audit events are read, and what administrators do as somebody else. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as accounts from '../lib/accounts.ts';
import type { AuditPlace } from '../lib/audit.ts';
import { type AuditFilter, readAuditFilter } from '../lib/audit-filter.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, inAdmin, signedIn } from './base.ts';

const load = async (place: AuditPlace, filter: AuditFilter) =>
  queries.ensureInfiniteQueryData((await import('../lib/audit.ts')).auditEvents(place, filter));

/** What every page of audit events has: its filter in the address. */
const filtered = {
  validateSearch: readAuditFilter,
  loaderDeps: ({ search }: { search: AuditFilter }) => search,
} as const;
type Deps = { readonly deps: AuditFilter };
type At = Deps & { readonly params: { readonly path: string } };

/** Below the pages of one's own account. */
export const ownLog = { ...filtered, loader: ({ deps }: Deps) => load({ kind: 'self' }, deps) } as const;
/** Below a project. */
export const projectLog = {
  ...filtered,
  loader: ({ params, deps }: At) => load({ kind: 'project', path: fromSegment(params.path) }, deps),
} as const;

export const groupLog = createRoute({
  getParentRoute: () => group,
  beforeLoad: signedIn,
  ...filtered,
  path: '/audit_events',
  loader: ({ params, deps }: At) => load({ kind: 'group', path: fromSegment(params.path) }, deps),
  component: lazyRouteComponent(() => import('../features/audit/GroupAuditPage.tsx')),
});
const instanceLog = createRoute({
  ...inAdmin,
  ...filtered,
  path: '/admin/audit_logs',
  loader: ({ deps }: Deps) => load({ kind: 'instance' }, deps),
  component: lazyRouteComponent(() => import('../features/admin/AuditLogPage.tsx')),
});
const impersonationTokens = createRoute({
  ...inAdmin,
  path: '/admin/users/$username/impersonation_tokens',
  loader: ({ params }) => queries.ensureQueryData(accounts.userByName(params.username)),
  component: lazyRouteComponent(() => import('../features/admin/ImpersonationTokensPage.tsx')),
});

export const adminAuditRoutes = [instanceLog, impersonationTokens] as const;
