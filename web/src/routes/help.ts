/** Routes of help; everybody may read it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { configuration } from '../lib/instance.ts';
import { queries } from '../lib/queries.ts';
import { root } from './base.ts';

const instanceConfiguration = createRoute({
  getParentRoute: () => root,
  path: '/help/instance_configuration',
  loader: () => queries.ensureQueryData(configuration()),
  component: lazyRouteComponent(() => import('../features/help/InstanceConfigurationPage.tsx')),
});

const help = createRoute({
  getParentRoute: () => root,
  path: '/help',
  loader: () => queries.ensureQueryData(configuration()),
  component: lazyRouteComponent(() => import('../features/help/HelpPage.tsx')),
});

export const helpRoutes = [help, instanceConfiguration];
