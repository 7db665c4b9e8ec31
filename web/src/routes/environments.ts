/** Pages of environments. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { EnvironmentFilter } from '../lib/environments.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { load } from '../loaders.ts';
import { number, signedIn, text } from './base.ts';
import { under } from './project.ts';

const environmentsData = () => import('../lib/environments.ts');
const list = createRoute({
  ...under,
  path: '/environments',
  validateSearch: (search): EnvironmentFilter => ({
    page: number(search.page),
    state: text(search.state),
    search: text(search.search),
  }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => load((await environmentsData()).environments(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/environments/EnvironmentsPage.tsx')),
});
const create = createRoute({
  ...under,
  path: '/environments/new',
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('../features/environments/EnvironmentForms.tsx'), 'NewEnvironmentPage'),
});
const one = createRoute({
  ...under,
  path: '/environments/$id',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const path = fromSegment(params.path);
    const { deploymentsTo, environment } = await environmentsData();
    const found = await queries.ensureQueryData(environment(path, Number(params.id)));
    await load(deploymentsTo(path, found.name, deps.page));
  },
  component: lazyRouteComponent(() => import('../features/environments/EnvironmentPage.tsx')),
});
const edit = createRoute({
  ...under,
  path: '/environments/$id/edit',
  beforeLoad: signedIn,
  loader: async ({ params }) =>
    load((await environmentsData()).environment(fromSegment(params.path), Number(params.id))),
  component: lazyRouteComponent(() => import('../features/environments/EnvironmentForms.tsx'), 'EditEnvironmentPage'),
});
export const environmentRoutes = [list, create, one, edit] as const;
