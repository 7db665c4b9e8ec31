/** Routes of boards, for projects and groups alike, and of epic boards: the first one, or one by its id. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { boardsOf, type PlaceKind } from '../lib/boards.ts';
import { epicBoardsOf } from '../lib/epic-boards.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group } from './base.ts';
import { project } from './project.ts';

interface At {
  readonly params: { readonly path: string };
}
interface AtOne {
  readonly params: { readonly path: string; readonly id: string };
}

const load = (kind: PlaceKind, path: string) => queries.ensureQueryData(boardsOf(kind, fromSegment(path)).list());

const ofProject = {
  getParentRoute: () => project,
  component: lazyRouteComponent(() => import('../features/boards/BoardPage.tsx'), 'ProjectBoard'),
} as const;
export const projectBoardRoutes = [
  createRoute({ ...ofProject, path: '/boards', loader: ({ params }: At) => load('project', params.path) }),
  createRoute({ ...ofProject, path: '/boards/$id', loader: ({ params }: AtOne) => load('project', params.path) }),
] as const;

const ofGroup = {
  getParentRoute: () => group,
  component: lazyRouteComponent(() => import('../features/boards/BoardPage.tsx'), 'GroupBoard'),
} as const;
const loadEpics = (path: string) => queries.ensureQueryData(epicBoardsOf(fromSegment(path)).list());
const ofEpics = {
  getParentRoute: () => group,
  component: lazyRouteComponent(() => import('../features/boards/BoardPage.tsx'), 'EpicBoard'),
} as const;
export const groupBoardRoutes = [
  createRoute({ ...ofEpics, path: '/epic_boards', loader: ({ params }: At) => loadEpics(params.path) }),
  createRoute({ ...ofEpics, path: '/epic_boards/$id', loader: ({ params }: AtOne) => loadEpics(params.path) }),
  createRoute({ ...ofGroup, path: '/boards', loader: ({ params }: At) => load('group', params.path) }),
  createRoute({ ...ofGroup, path: '/boards/$id', loader: ({ params }: AtOne) => load('group', params.path) }),
] as const;
