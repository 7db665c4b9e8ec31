/** Routes of groups: one's own, one group, its members and settings, and where an invitation leads. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import {
  contents,
  type GroupFilter,
  type GroupSort,
  groupList,
  groupsBelow,
  type OverviewFilter,
  projectsIn,
  visibilities,
} from '../lib/groups.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, memberSearch, number, root, signedIn, signedInOrVisiting, text } from './base.ts';
import { groupRunner } from './runners.ts';

const sorts: readonly GroupSort[] = ['name', 'path', 'newest'];
const sortOf = (value: unknown) => sorts.find((sort) => sort === value && sort !== 'name');

const newGroup = createRoute({
  getParentRoute: () => root,
  path: '/groups/new',
  validateSearch: (search): { parent_id?: number | undefined } => ({ parent_id: number(search.parent_id) }),
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('../features/groups/NewGroupPage.tsx')),
});
const ownGroupsPage = createRoute({
  getParentRoute: () => root,
  path: '/dashboard/groups',
  validateSearch: (search): GroupFilter => ({
    search: text(search.search),
    sort: sortOf(search.sort),
    page: number(search.page),
    visibility: visibilities.find((each) => each === search.visibility),
    list: search.list === 'all' ? 'all' : undefined,
  }),
  beforeLoad: ({ location, search }) =>
    search.list === 'all' ? signedInOrVisiting({ location }) : signedIn({ location }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureQueryData(groupList(deps)),
  component: lazyRouteComponent(() => import('../features/groups/OwnGroupsPage.tsx')),
});
const overview = createRoute({
  getParentRoute: () => group,
  path: '/',
  validateSearch: (search): OverviewFilter => ({
    search: text(search.search),
    sort: sortOf(search.sort),
    list: contents.find((each) => each === search.list),
  }),
  loaderDeps: ({ search: { search, sort } }) => ({ search, sort }),
  loader: ({ params, deps }) =>
    Promise.all([
      queries.ensureQueryData(groupsBelow(fromSegment(params.path), deps)),
      queries.ensureQueryData(projectsIn(fromSegment(params.path), deps)),
    ]),
  component: lazyRouteComponent(() => import('../features/groups/GroupPage.tsx')),
});
const groupSettings = createRoute({
  getParentRoute: () => group,
  path: '/settings',
  validateSearch: (search): { part?: string | undefined } => ({ part: text(search.part) }),
  beforeLoad: signedIn,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await import('../features/groups/GroupSettingsPage.tsx')).load(deps.part),
  component: lazyRouteComponent(() => import('../features/groups/GroupSettingsPage.tsx')),
});
/** The ecosystem's address of the same part. */
const groupAccessTokens = createRoute({
  getParentRoute: () => group,
  path: '/settings/access_tokens',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/g/$path/settings', params, search: { part: 'access-tokens' } });
  },
});

const groupMembers = createRoute({
  getParentRoute: () => group,
  path: '/group_members',
  validateSearch: memberSearch,
  component: lazyRouteComponent(() => import('../features/members/GroupMembersPage.tsx')),
});
/** The ecosystem's addresses of parts of the same page. */
const seats = createRoute({
  getParentRoute: () => group,
  path: '/usage_quotas',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/g/$path/group_members', params, search: { tab: 'seats' } });
  },
});
const pending = createRoute({
  getParentRoute: () => group,
  path: '/pending_members',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/g/$path/group_members', params, search: { tab: 'waiting' } });
  },
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/-/invites',
  validateSearch: (search): { invitation_token?: string | undefined } => ({
    invitation_token: text(search.invitation_token),
  }),
  component: lazyRouteComponent(() => import('../features/members/InvitationPage.tsx')),
});

export const groupRoutes = [newGroup, ownGroupsPage, invitation] as const;
const oneRunner = createRoute({ getParentRoute: () => group, ...groupRunner });

/** Below the header of one group. */
export const oneGroupRoutes = [
  oneRunner,
  overview,
  groupSettings,
  groupAccessTokens,
  groupMembers,
  seats,
  pending,
] as const;
