/** The search; visitors use it as far as the instance allows. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as data from '../lib/data.ts';
import { configuration } from '../lib/instance.ts';
import { queries } from '../lib/queries.ts';
import type { SearchAddress } from '../lib/search.ts';
import { currentSession } from '../lib/session.ts';
import { number, root, signedIn, text } from './base.ts';

export const searchRoute = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: (search): SearchAddress => ({
    search: text(search.search),
    scope: text(search.scope),
    group_id: text(search.group_id),
    project_id: text(search.project_id),
    state: text(search.state),
    page: number(search.page),
    regex: search.regex === true ? true : undefined,
    archived: search.archived === true ? true : undefined,
  }),
  beforeLoad: async (at) => {
    const { search } = await queries.ensureQueryData(configuration());
    if (!search.anonymous) await signedIn(at);
  },
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => {
    const [{ search }, { user }, { found, scopeOf }] = await Promise.all([
      queries.ensureQueryData(configuration()),
      currentSession(),
      import('../lib/search.ts'),
    ]);
    const scope = scopeOf(deps, search, user !== null);
    // The page shows itself that it waits for what is found.
    if (deps.search !== undefined && scope !== undefined) void queries.prefetchQuery(found(deps, scope));
    if (deps.project_id !== undefined) await queries.ensureQueryData(data.project(deps.project_id));
  },
  component: lazyRouteComponent(() => import('../features/search/SearchPage.tsx')),
});
