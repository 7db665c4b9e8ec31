/** What all routes share: the root with the frame, who may enter, and reading the query of an address. */
import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { ErrorPage, MissingPage } from '../features/frame/ErrorPages.tsx';
import { Frame } from '../features/frame/Frame.tsx';
import { PendingPart } from '../features/frame/PendingPage.tsx';
import { forbidden } from '../lib/api.ts';
import * as data from '../lib/data.ts';
import type { PipelineSearch } from '../lib/group-lists.ts';
import { groupLevel } from '../lib/groups.ts';
import { type MemberFilter, readMemberFilter } from '../lib/member-filter.ts';
import { queries } from '../lib/queries.ts';
import { currentSession } from '../lib/session.ts';
import { externalPath, fromSegment } from '../lib/urls.ts';

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
export const number = (value: unknown): number | undefined =>
  Number.isInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

/** What stands in the address of the members of a project or group. */
export const memberSearch = (search: Record<string, unknown>): MemberFilter & { tab?: string | undefined } => ({
  ...readMemberFilter(search),
  tab: text(search.tab),
});

/** What stands in the address of the pipelines of a project or group. */
export const pipelineSearch = (search: Record<string, unknown>): PipelineSearch => ({
  page: number(search.page),
  ref: text(search.ref),
  status: text(search.status),
  source: text(search.source),
  username: text(search.username),
});

export const root = createRootRoute({
  component: Frame,
  errorComponent: ErrorPage,
  notFoundComponent: MissingPage,
  beforeLoad: () => currentSession(),
});

/** A group with what the caller may do in it: its header, which stands above all its pages, shows both. */
export const group = createRoute({
  getParentRoute: () => root,
  path: '/g/$path',
  loader: ({ params }) => {
    const path = fromSegment(params.path);
    return Promise.all([queries.ensureQueryData(data.group(path)), queries.ensureQueryData(groupLevel(path))]);
  },
  notFoundComponent: MissingPage,
});

export const twoFactorPath = '/-/profile/two_factor_auth';

/** Sends people to the sign-in page, and back to where they wanted to go. */
export async function signedIn({ location }: { location: { href: string } }) {
  const session = await currentSession();
  if (!session.user) throw redirect({ to: '/users/sign_in', search: { return_to: externalPath(location.href) } });
  const until = session.two_factor_required_until;
  if (until && new Date(until) <= new Date() && !location.href.startsWith(twoFactorPath))
    throw redirect({ to: twoFactorPath });
}

/** Of what everybody may see: whoever is signed in passes as elsewhere. */
export async function signedInOrVisiting(at: { location: { href: string } }) {
  if ((await currentSession()).user) await signedIn(at);
}

export const adminModePath = '/admin/session/new';

/** Lets administrators through; those who have not entered admin mode do that first. */
async function administrators({ location }: { location: { href: string } }) {
  await signedIn({ location });
  const session = await currentSession();
  if (session.admin) return;
  if (session.admin_mode === false) throw redirect({ to: adminModePath, search: { return_to: location.href } });
  throw forbidden();
}

/** The administration: who may open its pages, and the list of them, which stays beside each. */
export const administration = createRoute({
  getParentRoute: () => root,
  id: 'administration',
  beforeLoad: administrators,
  component: lazyRouteComponent(() => import('../features/admin/AdminLayout.tsx')),
});
export const inAdmin = {
  getParentRoute: () => administration,
  errorComponent: lazyRouteComponent(() => import('../features/admin/AdminErrorPage.tsx')),
  pendingComponent: PendingPart,
} as const;
