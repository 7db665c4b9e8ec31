/** Pages of the list of jobs, the check of configurations and one runner of a project. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { JobFilter } from '../lib/ci.ts';
import { fromSegment } from '../lib/urls.ts';
import { fetched, load } from '../loaders.ts';
import { number, signedIn, text } from './base.ts';
import { under } from './project.ts';
import { projectRunner } from './runners.ts';

const ciData = () => import('../lib/ci.ts');
const jobs = createRoute({
  ...under,
  path: '/jobs',
  validateSearch: (search): JobFilter => ({ page: number(search.page), status: text(search.status) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => load((await ciData()).jobsOf(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/jobs/JobsPage.tsx')),
});
const editor = createRoute({
  ...under,
  path: '/ci/editor',
  beforeLoad: signedIn,
  loader: async ({ params, cause }) => {
    const { configuration } = await ciData();
    // Many projects have none: that is found out by asking, which the pointer on its way over the tabs is no reason for.
    if (cause !== 'preload') await load(configuration(await fetched(params.path)));
  },
  component: lazyRouteComponent(() => import('../features/lint/LintPage.tsx')),
});
const runner = createRoute({ ...under, ...projectRunner });

export const ciRoutes = [jobs, editor, runner] as const;
