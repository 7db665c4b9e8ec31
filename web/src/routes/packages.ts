/** Pages of the package registry of a project. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { under } from './project.ts';

const list = createRoute({
  ...under,
  path: '/packages',
  validateSearch: (search): { search?: string | undefined } => ({
    search: typeof search.search === 'string' ? search.search : undefined,
  }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    queries.ensureInfiniteQueryData(
      (await import('../lib/packages.ts')).packages(fromSegment(params.path), deps.search ?? ''),
    ),
  component: lazyRouteComponent(() => import('../features/packages/PackagesPage.tsx')),
});
const one = createRoute({
  ...under,
  path: '/packages/$id',
  loader: async ({ params }) => {
    const { onePackage, packageFiles } = await import('../lib/packages.ts');
    const at = [fromSegment(params.path), Number(params.id)] as const;
    await Promise.all([queries.ensureQueryData(onePackage(...at)), queries.ensureQueryData(packageFiles(...at))]);
  },
  component: lazyRouteComponent(() => import('../features/packages/PackagePage.tsx')),
});
export const packageRoutes = [list, one] as const;
