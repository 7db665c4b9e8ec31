/**
 * Addresses of the ecosystem whose pages are called otherwise here: people paste them, and other programs' documents and
 * messages are full of them.
 */
import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router';
import { group, root } from './base.ts';

/** Where settings of projects are found elsewhere, and the part that has them here. */
const projectSettings: Readonly<Record<string, string>> = {
  '/settings/ci_cd': 'pipelines',
  '/settings/repository': 'protected-branches',
  '/settings/merge_requests': 'merge',
  '/hooks': 'hooks',
  '/settings/integrations': 'hooks',
  '/settings/deploy_token/new': 'deploy-tokens',
  '/deploy_keys': 'deploy-keys',
  '/protected_branches': 'protected-branches',
  '/protected_tags': 'protected-tags',
  '/variables': 'variables',
  '/runners': 'runners',
};
const groupSettings: Readonly<Record<string, string>> = {
  '/hooks': 'hooks',
  '/labels': 'labels',
  '/settings/repository': 'protected-branches',
  '/settings/applications': 'applications',
  '/saml_group_links': 'directory',
  '/ldap_group_links': 'directory',
};
/** Lists of projects. */
const lists: Readonly<Record<string, string | undefined>> = {
  '/dashboard': undefined,
  '/dashboard/projects': undefined,
  '/dashboard/projects/starred': 'starred',
  '/dashboard/activity': 'activity',
  '/explore': 'all',
  '/explore/projects': 'all',
};

/** Routes that only lead elsewhere: nothing links to them, so that their types would only widen those of the others. */
const untyped = (routes: readonly AnyRoute[]): [] => routes as unknown as [];

/** Those below a project; the route above them is made where all of its pages are. */
export const projectAliases = (getParentRoute: () => AnyRoute): [] =>
  untyped(
    Object.entries(projectSettings).map(([path, part]) =>
      createRoute({
        getParentRoute,
        path,
        beforeLoad: ({ params }: { readonly params: { readonly path: string } }) => {
          throw redirect({ to: '/p/$path/settings', params, search: { part } });
        },
      }),
    ),
  );

export const groupAliases = untyped(
  Object.entries(groupSettings).map(([path, part]) =>
    createRoute({
      getParentRoute: () => group,
      path,
      beforeLoad: ({ params }: { readonly params: { readonly path: string } }) => {
        throw redirect({ to: '/g/$path/settings', params, search: { part } });
      },
    }),
  ),
);

export const aliases = untyped([
  ...Object.entries(lists).map(([path, list]) =>
    createRoute({
      getParentRoute: () => root,
      path,
      beforeLoad: () => {
        throw redirect({ to: '/', search: { list } });
      },
    }),
  ),
  createRoute({
    getParentRoute: () => root,
    path: '/explore/groups',
    beforeLoad: () => {
      throw redirect({ to: '/dashboard/groups' });
    },
  }),
]);
