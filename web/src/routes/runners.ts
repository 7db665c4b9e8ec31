/** Routes of one runner, below a project, a group and the administration. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { signedIn } from './base.ts';

const runnersData = () => import('../lib/runners.ts');
const loader = async ({ params }: { readonly params: { readonly id: string } }) =>
  queries.ensureQueryData((await runnersData()).runner(Number(params.id)));

export const projectRunner = {
  path: '/runners/$id',
  beforeLoad: signedIn,
  loader,
  component: lazyRouteComponent(() => import('../features/runners/RunnerPages.tsx'), 'ProjectRunner'),
} as const;
export const groupRunner = {
  path: '/runners/$id',
  beforeLoad: signedIn,
  loader,
  component: lazyRouteComponent(() => import('../features/runners/RunnerPages.tsx'), 'GroupRunner'),
} as const;
export const adminRunner = {
  path: '/admin/runners/$id',
  loader,
  component: lazyRouteComponent(() => import('../features/admin/RunnerPage.tsx')),
} as const;
