/** Pages of pipeline schedules. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { ScheduleFilter } from '../lib/schedules.ts';
import { fromSegment } from '../lib/urls.ts';
import { load } from '../loaders.ts';
import { number, signedIn, text } from './base.ts';
import { under } from './project.ts';

const schedulesData = () => import('../lib/schedules.ts');
const list = createRoute({
  ...under,
  path: '/pipeline_schedules',
  validateSearch: (search): ScheduleFilter => ({ page: number(search.page), scope: text(search.scope) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => load((await schedulesData()).schedules(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/schedules/SchedulesPage.tsx')),
});
const create = createRoute({
  ...under,
  path: '/pipeline_schedules/new',
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('../features/schedules/SchedulePages.tsx'), 'NewSchedulePage'),
});
const edit = createRoute({
  ...under,
  path: '/pipeline_schedules/$id/edit',
  beforeLoad: signedIn,
  loader: async ({ params }) => load((await schedulesData()).schedule(fromSegment(params.path), Number(params.id))),
  component: lazyRouteComponent(() => import('../features/schedules/SchedulePages.tsx'), 'EditSchedulePage'),
});
export const scheduleRoutes = [list, create, edit] as const;
