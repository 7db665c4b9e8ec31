/** Where audit events are read, and what administrators do as somebody else. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as accounts from '../lib/accounts.ts';
import { type AuditFilter, type AuditPlace, auditEvents, readAuditFilter } from '../lib/audit.ts';
import * as data from '../lib/data.ts';
import { groupLevel } from '../lib/groups.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { root, signedIn } from './base.ts';

const load = (place: AuditPlace, filter: AuditFilter) => queries.ensureInfiniteQueryData(auditEvents(place, filter));

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

const common = { getParentRoute: () => root, beforeLoad: signedIn } as const;

const groupLog = createRoute({
  ...common,
  ...filtered,
  path: '/g/$path/audit_events',
  loader: ({ params, deps }: At) => {
    const path = fromSegment(params.path);
    return Promise.all([
      queries.ensureQueryData(data.group(path)),
      queries.ensureQueryData(groupLevel(path)),
      load({ kind: 'group', path }, deps),
    ]);
  },
  component: lazyRouteComponent(() => import('../features/audit/GroupAuditPage.tsx')),
});
const instanceLog = createRoute({
  ...common,
  ...filtered,
  path: '/admin/audit_logs',
  loader: ({ deps }: Deps) => load({ kind: 'instance' }, deps),
  component: lazyRouteComponent(() => import('../features/admin/AuditLogPage.tsx')),
});
const impersonationTokens = createRoute({
  ...common,
  path: '/admin/users/$username/impersonation_tokens',
  loader: ({ params }) => queries.ensureQueryData(accounts.userByName(params.username)),
  component: lazyRouteComponent(() => import('../features/admin/ImpersonationTokensPage.tsx')),
});

export const auditRoutes = [groupLog, instanceLog, impersonationTokens];
