/** Routes of milestones, for projects and groups alike. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { MilestoneSearch } from '../lib/planning.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, number, signedIn, text } from './base.ts';

const planningData = () => import('../lib/planning.ts');

interface At<Search> {
  readonly params: { readonly path: string };
  readonly deps: Search;
}
interface PageSearch {
  readonly page?: number | undefined;
}

/** The list below a project's or group's route. */
export const milestoneList = (kind: 'project' | 'group') =>
  ({
    validateSearch: (search: Record<string, unknown>): MilestoneSearch => ({
      page: number(search.page),
      state: text(search.state),
      search: text(search.search),
    }),
    loaderDeps: ({ search }: { search: MilestoneSearch }) => search,
    loader: async ({ params, deps }: At<MilestoneSearch>) => {
      const path = fromSegment(params.path);
      await queries.ensureQueryData((await planningData()).milestonesOf(kind, path).list(deps));
    },
  }) as const;

/** One of them, with what is planned for it. */
export const milestoneOne = (kind: 'project' | 'group') =>
  ({
    validateSearch: (search: Record<string, unknown>): PageSearch => ({ page: number(search.page) }),
    loaderDeps: ({ search }: { search: PageSearch }) => search,
    loader: async ({ params, deps }: At<PageSearch> & { readonly params: { readonly iid: string } }) => {
      const path = fromSegment(params.path);
      const milestones = (await planningData()).milestonesOf(kind, path);
      const found = await queries.ensureQueryData(milestones.at(Number(params.iid)));
      if (found) await queries.ensureQueryData(milestones.requests(found.id, deps.page ?? 1));
    },
  }) as const;

export const groupMilestoneRoutes = [
  createRoute({
    getParentRoute: () => group,
    path: '/milestones',
    ...milestoneList('group'),
    component: lazyRouteComponent(() => import('../features/milestones/MilestonesPage.tsx'), 'GroupMilestones'),
  }),
  createRoute({
    getParentRoute: () => group,
    path: '/milestones/new',
    beforeLoad: signedIn,
    component: lazyRouteComponent(() => import('../features/milestones/NewMilestonePage.tsx'), 'NewGroupMilestone'),
  }),
  createRoute({
    getParentRoute: () => group,
    path: '/milestones/$iid',
    ...milestoneOne('group'),
    component: lazyRouteComponent(() => import('../features/milestones/MilestonePage.tsx'), 'GroupMilestone'),
  }),
] as const;
