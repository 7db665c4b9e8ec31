/** What waits for the person who is signed in. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queries } from '../lib/queries.ts';
import { type TodoFilter, todos } from '../lib/todos.ts';
import { number, root, signedIn, text } from './base.ts';

const work = createRoute({
  getParentRoute: () => root,
  path: '/dashboard/work',
  beforeLoad: signedIn,
  loader: async () => {
    const { failedPipelines, ownIssues, ownRequests } = await import('../lib/own-work.ts');
    await Promise.all([
      ...(['reviewer', 'assignee', 'author'] as const).map((role) =>
        queries.ensureInfiniteQueryData(ownRequests(role)),
      ),
      queries.ensureInfiniteQueryData(ownIssues()),
      queries.ensureInfiniteQueryData(failedPipelines()),
      queries.ensureInfiniteQueryData(todos()),
    ]);
  },
  component: lazyRouteComponent(() => import('../features/work/WorkPage.tsx')),
});
const todoList = createRoute({
  getParentRoute: () => root,
  path: '/dashboard/todos',
  beforeLoad: signedIn,
  validateSearch: (search: Record<string, unknown>): TodoFilter => ({
    state: text(search.state),
    project_id: number(search.project_id),
    author_id: number(search.author_id),
    type: text(search.type),
    action: text(search.action),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(todos(deps)),
  component: lazyRouteComponent(() => import('../features/work/TodosPage.tsx')),
});
/** The ecosystem's address of the merge requests among it. */
const requests = createRoute({
  getParentRoute: () => root,
  path: '/dashboard/merge_requests',
  beforeLoad: () => {
    throw redirect({ to: '/dashboard/work' });
  },
});

export const workRoutes = [work, todoList, requests] as const;
