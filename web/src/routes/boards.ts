/** Routes of boards, for projects and groups alike, and of epic boards: the first one, or one by its id. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { Boards } from '../lib/boards.ts';
import type { PlaceKind } from '../lib/planning.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group } from './base.ts';
import { project } from './project.ts';

const boardsData = () => import('../lib/boards.ts');
const epicBoardsData = () => import('../lib/epic-boards.ts');

interface At {
  readonly params: { readonly path: string };
}
interface AtOne {
  readonly params: { readonly path: string; readonly id: string };
}

/** The list of boards, with the columns of the shown one on their way: they need not wait for its page to be there. */
async function loadOf(of: Boards, id: string | undefined) {
  const all = await queries.ensureQueryData(of.list());
  const board = id === undefined ? all[0] : all.find((each) => each.id === Number(id));
  if (!board) return;
  const { columnsOf } = await boardsData();
  for (const column of columnsOf(board)) void queries.prefetchInfiniteQuery(of.column(board, column));
}

const load = async (kind: PlaceKind, path: string, id?: string) =>
  await loadOf((await boardsData()).boardsOf(kind, fromSegment(path)), id);

const ofProject = {
  getParentRoute: () => project,
  component: lazyRouteComponent(() => import('../features/boards/BoardPage.tsx'), 'ProjectBoard'),
} as const;
export const projectBoardRoutes = [
  createRoute({ ...ofProject, path: '/boards', loader: ({ params }: At) => load('project', params.path) }),
  createRoute({
    ...ofProject,
    path: '/boards/$id',
    loader: ({ params }: AtOne) => load('project', params.path, params.id),
  }),
] as const;

const ofGroup = {
  getParentRoute: () => group,
  component: lazyRouteComponent(() => import('../features/boards/BoardPage.tsx'), 'GroupBoard'),
} as const;
const loadEpics = async (path: string, id?: string) =>
  await loadOf((await epicBoardsData()).epicBoardsOf(fromSegment(path)), id);
const ofEpics = {
  getParentRoute: () => group,
  component: lazyRouteComponent(() => import('../features/boards/BoardPage.tsx'), 'EpicBoard'),
} as const;
export const groupBoardRoutes = [
  createRoute({ ...ofEpics, path: '/epic_boards', loader: ({ params }: At) => loadEpics(params.path) }),
  createRoute({
    ...ofEpics,
    path: '/epic_boards/$id',
    loader: ({ params }: AtOne) => loadEpics(params.path, params.id),
  }),
  createRoute({ ...ofGroup, path: '/boards', loader: ({ params }: At) => load('group', params.path) }),
  createRoute({
    ...ofGroup,
    path: '/boards/$id',
    loader: ({ params }: AtOne) => load('group', params.path, params.id),
  }),
] as const;
