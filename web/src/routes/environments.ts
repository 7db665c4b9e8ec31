/** Routes of environments, below a project's route. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { type EnvironmentFilter, environments } from '../lib/environments.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { number, text } from './base.ts';

export const environmentList = {
  path: '/environments',
  validateSearch: (search: Record<string, unknown>): EnvironmentFilter => ({
    page: number(search.page),
    state: text(search.state),
    search: text(search.search),
  }),
  loaderDeps: ({ search }: { search: EnvironmentFilter }) => search,
  loader: ({ params, deps }: { readonly params: { readonly path: string }; readonly deps: EnvironmentFilter }) =>
    queries.ensureQueryData(environments(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/environments/EnvironmentsPage.tsx')),
} as const;
