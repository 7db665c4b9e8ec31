/** What waits for the person who is signed in. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { failedPipelines, ownRequests, pendingTodos } from '../lib/work.ts';
import { root, signedIn } from './base.ts';

const work = createRoute({
  getParentRoute: () => root,
  path: '/dashboard/work',
  beforeLoad: signedIn,
  loader: () =>
    Promise.all([
      ...(['reviewer', 'assignee', 'author'] as const).map((role) =>
        queries.ensureInfiniteQueryData(ownRequests(role)),
      ),
      queries.ensureInfiniteQueryData(failedPipelines()),
      queries.ensureInfiniteQueryData(pendingTodos()),
    ]),
  component: lazyRouteComponent(() => import('../features/work/WorkPage.tsx')),
});
/** The ecosystem's address of the merge requests among it. */
const requests = createRoute({
  getParentRoute: () => root,
  path: '/dashboard/merge_requests',
  beforeLoad: () => {
    throw redirect({ to: '/dashboard/work' });
  },
});

export const workRoutes = [work, requests] as const;
