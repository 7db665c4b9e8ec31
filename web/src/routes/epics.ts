/** Routes of epics and of the roadmap, below a group's route. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { EpicSearch } from '../lib/epics.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, number, text } from './base.ts';

const epicsData = () => import('../lib/epics.ts');
const under = { getParentRoute: () => group } as const;

export const epicRoutes = [
  createRoute({
    ...under,
    path: '/epics',
    validateSearch: (search): EpicSearch => ({
      page: number(search.page),
      state: text(search.state),
      search: text(search.search),
    }),
    loaderDeps: ({ search }) => search,
    loader: async ({ params, deps }) =>
      queries.ensureQueryData((await epicsData()).epics(fromSegment(params.path), deps)),
    component: lazyRouteComponent(() => import('../features/epics/EpicsPage.tsx')),
  }),
  createRoute({
    ...under,
    path: '/epics/$iid',
    loader: async ({ params }) => {
      const path = fromSegment(params.path);
      const { epic, epicContents } = await epicsData();
      return Promise.all([
        queries.ensureQueryData(epic(path, Number(params.iid))),
        queries.ensureQueryData(epicContents(path, Number(params.iid))),
      ]);
    },
    component: lazyRouteComponent(() => import('../features/epics/EpicPage.tsx')),
  }),
  createRoute({
    ...under,
    path: '/roadmap',
    loader: async ({ params }) => queries.ensureQueryData((await epicsData()).epics(fromSegment(params.path), {})),
    component: lazyRouteComponent(() => import('../features/epics/RoadmapPage.tsx')),
  }),
] as const;
