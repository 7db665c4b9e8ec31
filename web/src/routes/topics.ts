/** Routes of topics; everybody may read them. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { projectsWithTopic, topicByName, topics } from '../lib/topics.ts';
import { number, root, text } from './base.ts';

const browse = createRoute({
  getParentRoute: () => root,
  path: '/explore/projects/topics',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(topics(deps.search)),
  component: lazyRouteComponent(() => import('../features/topics/TopicsPage.tsx')),
});
const topic = createRoute({
  getParentRoute: () => root,
  path: '/explore/projects/topics/$name',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const { name } = await queries.ensureQueryData(topicByName(params.name));
    await queries.ensureQueryData(projectsWithTopic(name, deps.page ?? 1));
  },
  component: lazyRouteComponent(() => import('../features/topics/TopicPage.tsx')),
});

export const topicRoutes = [browse, topic];
