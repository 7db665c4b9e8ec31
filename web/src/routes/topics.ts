/** Routes of topics; everybody may read them. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { number, root, text } from './base.ts';

const topicsData = () => import('../lib/topics.ts');
const browse = createRoute({
  getParentRoute: () => root,
  path: '/explore/projects/topics',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => queries.ensureInfiniteQueryData((await topicsData()).topics(deps.search)),
  component: lazyRouteComponent(() => import('../features/topics/TopicsPage.tsx')),
});
const topic = createRoute({
  getParentRoute: () => root,
  path: '/explore/projects/topics/$name',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const { projectsWithTopic, topicByName } = await topicsData();
    const { name } = await queries.ensureQueryData(topicByName(params.name));
    await queries.ensureQueryData(projectsWithTopic(name, deps.page ?? 1));
  },
  component: lazyRouteComponent(() => import('../features/topics/TopicPage.tsx')),
});

export const topicRoutes = [browse, topic];
