/** Routes of iterations, for projects and groups alike, and of the cadences of groups. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { IterationSearch } from '../lib/iterations.ts';
import type { PlaceKind } from '../lib/planning.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, number, text } from './base.ts';
import { project } from './project.ts';

const iterationsData = () => import('../lib/iterations.ts');

interface At {
  readonly params: { readonly path: string };
}

/** The list below a project's or group's route. */
const list = (kind: PlaceKind) =>
  ({
    path: '/iterations',
    validateSearch: (search: Record<string, unknown>): IterationSearch => ({
      page: number(search.page),
      state: text(search.state),
      search: text(search.search),
    }),
    loaderDeps: ({ search }: { search: IterationSearch }) => search,
    loader: async ({ params, deps }: At & { readonly deps: IterationSearch }) => {
      await queries.ensureQueryData((await iterationsData()).iterations(kind, fromSegment(params.path), deps));
    },
  }) as const;

const one = (kind: PlaceKind) =>
  ({
    path: '/iterations/$id',
    loader: async ({ params }: At & { readonly params: { readonly id: string } }) => {
      const path = fromSegment(params.path);
      const { iteration, iterationIssues } = await iterationsData();
      await Promise.all([
        queries.ensureQueryData(iteration(kind, path, Number(params.id))),
        queries.ensureQueryData(iterationIssues(kind, path, Number(params.id), 1)),
      ]);
    },
  }) as const;

const inProject = { getParentRoute: () => project } as const;
export const projectIterationRoutes = [
  createRoute({
    ...inProject,
    ...list('project'),
    component: lazyRouteComponent(() => import('../features/iterations/IterationsPage.tsx'), 'ProjectIterations'),
  }),
  createRoute({
    ...inProject,
    ...one('project'),
    component: lazyRouteComponent(() => import('../features/iterations/IterationPage.tsx'), 'ProjectIteration'),
  }),
] as const;

const under = { getParentRoute: () => group } as const;
export const groupIterationRoutes = [
  createRoute({
    ...under,
    ...list('group'),
    component: lazyRouteComponent(() => import('../features/iterations/IterationsPage.tsx'), 'GroupIterations'),
  }),
  createRoute({
    ...under,
    ...one('group'),
    component: lazyRouteComponent(() => import('../features/iterations/IterationPage.tsx'), 'GroupIteration'),
  }),
  createRoute({
    ...under,
    path: '/cadences',
    loader: async ({ params }) => queries.ensureQueryData((await iterationsData()).cadences(fromSegment(params.path))),
    component: lazyRouteComponent(() => import('../features/iterations/CadencesPage.tsx')),
  }),
] as const;
