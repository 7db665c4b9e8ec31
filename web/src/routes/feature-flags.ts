/** The page of feature flags. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { signedIn } from './base.ts';
import { under } from './project.ts';

const flags = createRoute({
  ...under,
  path: '/feature_flags',
  beforeLoad: signedIn,
  loader: async ({ params }) =>
    queries.ensureInfiniteQueryData((await import('../lib/feature-flags.ts')).featureFlags(fromSegment(params.path))),
  component: lazyRouteComponent(() => import('../features/feature-flags/FeatureFlagsPage.tsx')),
});
export const featureFlagRoutes = [flags] as const;
