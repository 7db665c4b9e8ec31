/**
 * Addresses of the ecosystem whose pages have other addresses here: people paste them, and documents and messages of other
 * programs contain them.
 */
import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router';
import { fromSegment } from '../lib/urls.ts';
import { group, root } from './base.ts';

const ciData = () => import('../lib/ci.ts');

type Params = Readonly<Record<string, string>>;
/** A path of the router with its parameters, and the query. */
interface Target {
  readonly to: string;
  readonly params?: Params;
  readonly search?: Readonly<Record<string, string | number | boolean | undefined>>;
}
type Leads = Readonly<Record<string, Target | ((params: Params) => Target | Promise<Target>)>>;

const settings = (kind: 'p' | 'g', part?: string): Target => ({ to: `/${kind}/$path/settings`, search: { part } });

/** Addresses below a project. */
const projectPages: Leads = {
  '/settings/ci_cd': settings('p', 'pipelines'),
  '/settings/repository': settings('p', 'protected-branches'),
  '/settings/merge_requests': settings('p', 'merge'),
  '/settings/integrations': settings('p', 'integrations'),
  '/settings/deploy_token/new': settings('p', 'deploy-tokens'),
  '/settings/members': { to: '/p/$path/project_members' },
  '/hooks': settings('p', 'hooks'),
  '/deploy_keys': settings('p', 'deploy-keys'),
  '/protected_branches': settings('p', 'protected-branches'),
  '/protected_tags': settings('p', 'protected-tags'),
  '/variables': settings('p', 'variables'),
  '/triggers': settings('p', 'triggers'),
  '/runners': settings('p', 'runners'),
  '/labels': settings('p', 'labels'),
  '/group_links': { to: '/p/$path/project_members', search: { tab: 'groups' } },
  '/branches/new': { to: '/p/$path/branches', search: { new: true } },
  '/branches/$state': { to: '/p/$path/branches' },
  '/tags/new': { to: '/p/$path/tags' },
  '/tags/$name': ({ path = '', name = '' }) => ({ to: '/p/$path/tags', params: { path }, search: { search: name } }),
  '/pipelines/latest': async ({ path = '' }) => {
    const { id } = await (await ciData()).latestPipeline(fromSegment(path));
    return { to: '/p/$path/pipelines/$id', params: { path, id: String(id) } };
  },
  '/pipelines/$id/builds': { to: '/p/$path/pipelines/$id' },
  '/pipelines/$id/failures': { to: '/p/$path/pipelines/$id' },
  '/builds': { to: '/p/$path/jobs' },
  '/builds/$id': { to: '/p/$path/jobs/$id' },
  '/ci/lint': { to: '/p/$path/ci/editor' },
  '/environments/folders/$name': ({ path = '', name = '' }) => ({
    to: '/p/$path/environments',
    params: { path },
    search: { search: `${name}/` },
  }),
};
const groupPages: Leads = {
  '/settings/integrations': settings('g', 'integrations'),
  '/edit': settings('g'),
  '/hooks': settings('g', 'hooks'),
  '/runners': settings('g', 'runners'),
  '/labels': settings('g', 'labels'),
  '/settings/repository': settings('g', 'protected-branches'),
  '/settings/ci_cd': settings('g', 'runners'),
  '/settings/applications': settings('g', 'applications'),
  '/saml_group_links': settings('g', 'directory'),
  '/ldap_group_links': settings('g', 'directory'),
  '/projects': { to: '/g/$path' },
};
const person =
  (tab?: string): Leads[string] =>
  ({ username = '' }) => ({
    to: '/o/$path',
    params: { path: username },
    search: { tab },
  });
const lists = (list?: string): Target => ({ to: '/', search: { list } });
const pages: Leads = {
  '/dashboard': lists(),
  '/dashboard/projects': lists(),
  '/dashboard/projects/starred': lists('starred'),
  '/dashboard/activity': lists('activity'),
  '/dashboard/issues': { to: '/dashboard/work' },
  '/dashboard/snippets': { to: '/-/snippets/$', params: { _splat: '' } },
  '/explore': lists('all'),
  '/explore/projects': lists('all'),
  '/explore/projects/starred': lists('all'),
  '/explore/projects/trending': lists('all'),
  '/explore/groups': { to: '/dashboard/groups', search: { list: 'all' } },
  '/explore/snippets': { to: '/-/snippets/$', params: { _splat: '' }, search: { scope: 'public' } },
  '/projects': lists(),
  '/groups': { to: '/dashboard/groups' },
  '/snippets/$': ({ _splat = '' }) => ({ to: '/-/snippets/$', params: { _splat } }),
  // Not `/help/$`, which would also be the address of the page itself and lead to it without end.
  '/help/$page': { to: '/help' },
  '/help/$section/$page': { to: '/help' },
  '/help/$section/$part/$page': { to: '/help' },
  '/profile': { to: '/-/user_settings/profile' },
  '/profile/keys': { to: '/-/user_settings/ssh_keys' },
  '/-/profile/keys': { to: '/-/user_settings/ssh_keys' },
  '/-/profile/gpg_keys': { to: '/-/user_settings/gpg_keys' },
  '/-/profile/personal_access_tokens': { to: '/-/user_settings/personal_access_tokens' },
  '/-/profile/applications': { to: '/-/user_settings/applications' },
  '/-/profile/active_sessions': { to: '/-/user_settings/active_sessions' },
  '/-/profile/audit_log': { to: '/-/user_settings/authentication_log' },
  '/-/profile/password/edit': { to: '/-/user_settings/password' },
  '/-/user_settings/password/edit': { to: '/-/user_settings/password' },
  '/u/$username': person(),
  '/users/$username': person(),
  '/users/$username/activity': person('activity'),
  '/users/$username/groups': person(),
  '/users/$username/projects': person('projects'),
  '/users/$username/contributed': person('contributed'),
  '/users/$username/starred': person('starred'),
  '/users/$username/snippets': person('snippets'),
  '/users/$username/followers': person('followers'),
  '/users/$username/following': person('following'),
  '/admin/application_settings': { to: '/admin/application_settings/general' },
  '/admin/application_settings/$topic': { to: '/admin/application_settings/general' },
};

/** Routes that only lead elsewhere: nothing links to them, so that their types would only widen those of the others. */
const leading = (getParentRoute: () => AnyRoute, table: Leads): [] =>
  Object.entries(table).map(([path, leads]) =>
    createRoute({
      getParentRoute,
      path,
      beforeLoad: async ({ params }: { readonly params: Params }) => {
        const target = typeof leads === 'function' ? await leads(params) : leads;
        throw redirect({ params, ...target, replace: true } as never);
      },
    }),
  ) as unknown as [];

/** Those below a project; the route above them is made where all of its pages are. */
export const projectAliases = (getParentRoute: () => AnyRoute): [] => leading(getParentRoute, projectPages);
export const groupAliases = leading(() => group, groupPages);
export const aliases = leading(() => root, pages);
