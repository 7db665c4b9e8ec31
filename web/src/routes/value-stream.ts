/** Routes of the value stream, for projects and groups alike. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group } from './base.ts';
import { project } from './project.ts';

const valueStreamData = () => import('../lib/value-stream.ts');
const usualDays = 30;

export const projectValueStream = createRoute({
  getParentRoute: () => project,
  path: '/value_stream_analytics',
  loader: async ({ params }) =>
    queries.ensureQueryData((await valueStreamData()).valueStream('project', fromSegment(params.path), usualDays)),
  component: lazyRouteComponent(() => import('../features/charts/ValueStreamPage.tsx'), 'ProjectValueStream'),
});
export const groupValueStream = createRoute({
  getParentRoute: () => group,
  path: '/value_stream_analytics',
  loader: async ({ params }) =>
    queries.ensureQueryData((await valueStreamData()).valueStream('group', fromSegment(params.path), usualDays)),
  component: lazyRouteComponent(() => import('../features/charts/ValueStreamPage.tsx'), 'GroupValueStream'),
});
