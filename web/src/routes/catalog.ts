/** Routes of the catalog of CI/CD components; everybody may read it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { root, text } from './base.ts';

const catalogData = () => import('../lib/catalog.ts');
const sorts = ['stars', 'released_at', 'name', 'created_at'] as const;
type Sort = (typeof sorts)[number];
const browse = createRoute({
  getParentRoute: () => root,
  path: '/explore/catalog',
  validateSearch: (search): { search?: string | undefined; sort?: Sort | undefined } => ({
    search: text(search.search),
    sort: sorts.find((sort) => sort === search.sort),
  }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) =>
    queries.ensureInfiniteQueryData((await catalogData()).catalogItems(deps.search, deps.sort ?? 'stars')),
  component: lazyRouteComponent(() => import('../features/catalog/CatalogPage.tsx')),
});
const resource = createRoute({
  getParentRoute: () => root,
  // With the first segment by itself: a splat alone would take the address of the list, too.
  path: '/explore/catalog/$group/$',
  validateSearch: (search): { version?: string | undefined } => ({ version: text(search.version) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const { catalogResource, catalogVersion, catalogVersions } = await catalogData();
    const path = `${params.group}/${params._splat}`;
    const { full_path: id, latest_version: latest } = await queries.ensureQueryData(catalogResource(path));
    if (!latest) return;
    await Promise.all([
      queries.ensureQueryData(catalogVersion(id, deps.version ?? latest.version)),
      queries.ensureInfiniteQueryData(catalogVersions(id)),
    ]);
  },
  component: lazyRouteComponent(() => import('../features/catalog/ResourcePage.tsx')),
});

export const catalogRoutes = [browse, resource];
