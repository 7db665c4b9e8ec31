/** Pages of pipeline schedules. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type ScheduleFilter, schedule, schedules } from '../lib/schedules.ts';
import { fromSegment } from '../lib/urls.ts';
import { load } from '../loaders.ts';
import { number, signedIn, text } from './base.ts';
import { under } from './project.ts';

const list = createRoute({
  ...under,
  path: '/pipeline_schedules',
  validateSearch: (search): ScheduleFilter => ({ page: number(search.page), scope: text(search.scope) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(schedules(fromSegment(params.path), deps)),
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
  loader: ({ params }) => load(schedule(fromSegment(params.path), Number(params.id))),
  component: lazyRouteComponent(() => import('../features/schedules/SchedulePages.tsx'), 'EditSchedulePage'),
});
export const scheduleRoutes = [list, create, edit] as const;
