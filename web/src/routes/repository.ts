/** Pages of a repository: files, history, branches, tags, releases and locks. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { loadPlace } from '../features/files/refs.ts';
import { releaseAddress } from '../features/releases/address.ts';
import type { NamedFilter } from '../lib/history.ts';
import { locksOf } from '../lib/locks.ts';
import { queries } from '../lib/queries.ts';
import { branchList } from '../lib/repository.ts';
import { keepTyped } from '../lib/typed-ahead.ts';
import { fromSegment } from '../lib/urls.ts';
import {
  fetched,
  load,
  loadBlame,
  loadBlob,
  loadEdit,
  loadNewFile,
  loadPaths,
  loadPreferences,
  loadTree,
  parts,
} from '../loaders.ts';
import { number, signedIn, text } from './base.ts';
import { under } from './project.ts';

const historyData = () => import('../lib/history.ts');
const releasesData = () => import('../lib/releases.ts');
const popularityData = () => import('../lib/popularity.ts');
const tree = createRoute({
  ...under,
  path: '/tree/$',
  loader: loadTree,
  component: lazyRouteComponent(() => import('../features/files/TreePage.tsx')),
});
const blob = createRoute({
  ...under,
  path: '/blob/$',
  loader: loadBlob,
  component: lazyRouteComponent(() => import('../features/files/BlobPage.tsx')),
});
/** The server has the file itself: the page says why there is none, or shows it in its frame. */
const raw = createRoute({
  ...under,
  path: '/raw/$',
  loader: async (at) => {
    await loadBlob(at);
    throw redirect({ to: '/p/$path/blob/$', params: { path: at.params.path, _splat: at.params._splat ?? '' } });
  },
});
const edit = createRoute({
  ...under,
  path: '/edit/$',
  beforeLoad: (at) => {
    // `/-/edit` alone is where the ecosystem has the settings of a project.
    if (!at.params._splat) throw redirect({ to: '/p/$path/settings', params: at.params, search: {} });
    return signedIn(at);
  },
  loader: loadEdit,
  component: lazyRouteComponent(() => import('../features/files/EditPage.tsx')),
});
const newFile = createRoute({
  ...under,
  path: '/new/$',
  // Links to the form, in comments of bots for example, fill it in.
  validateSearch: (
    search,
  ): {
    readonly n?: number | undefined;
    readonly file_name?: string | undefined;
    readonly content?: string | undefined;
    readonly commit_message?: string | undefined;
  } => ({
    n: number(search.n),
    file_name: text(search.file_name),
    content: text(search.content ?? search.file),
    commit_message: text(search.commit_message),
  }),
  beforeLoad: signedIn,
  loader: loadNewFile,
  component: lazyRouteComponent(() => import('../features/files/NewFilePage.tsx')),
});
const blame = createRoute({
  ...under,
  path: '/blame/$',
  loader: loadBlame,
  component: lazyRouteComponent(() => import('../features/files/BlamePage.tsx')),
});
const findFile = createRoute({
  ...under,
  path: '/find_file/$',
  validateSearch: (search): { edit?: boolean | undefined } => ({ edit: search.edit === true || undefined }),
  beforeLoad: ({ cause }) => {
    if (cause === 'enter') keepTyped();
  },
  loader: loadPaths,
  component: lazyRouteComponent(() => import('../features/files/FindFilePage.tsx')),
});
const commits = createRoute({
  ...under,
  path: '/commits/$',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const place = await loadPlace(await fetched(params.path), params._splat ?? '');
    await load(parts(params.path).commits({ ref: place.ref, folder: place.path, page: deps.page ?? 1 }));
  },
  component: lazyRouteComponent(() => import('../features/commits/CommitsPage.tsx')),
});
const commit = createRoute({
  ...under,
  path: '/commit/$sha',
  loader: ({ params }) =>
    Promise.all([
      load(parts(params.path).commit(params.sha)),
      load(parts(params.path).commitDiff(params.sha)),
      loadPreferences(),
    ]),
  component: lazyRouteComponent(() => import('../features/commits/CommitPage.tsx')),
});
const branches = createRoute({
  ...under,
  path: '/branches',
  validateSearch: (search): { search?: string | undefined; new?: true | undefined } => ({
    search: text(search.search),
    new: search.new === true || undefined,
  }),
  loaderDeps: ({ search }) => ({ search: search.search }),
  loader: async ({ params, deps }) => {
    const { default_branch } = await fetched(params.path);
    await queries.ensureInfiniteQueryData(branchList(fromSegment(params.path), default_branch, deps.search));
  },
  component: lazyRouteComponent(() => import('../features/branches/BranchesPage.tsx')),
});
/** The list, the form of a new one, or one by its tag, which may have slashes. */
const releasePages = createRoute({
  ...under,
  path: '/releases/$',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const path = fromSegment(params.path);
    const { release, releases } = await releasesData();
    const { kind, tag } = releaseAddress(params._splat ?? '');
    if (kind === 'list') return load(releases(path, deps.page ?? 1));
    return kind === 'new' ? fetched(params.path) : load(release(path, tag));
  },
  component: lazyRouteComponent(() => import('../features/releases/ReleasesRoute.tsx')),
});
const network = createRoute({
  ...under,
  path: '/network/$',
  validateSearch: (search): { all?: boolean | undefined } => ({ all: search.all === true || undefined }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const place = await loadPlace(await fetched(params.path), params._splat ?? '');
    await queries.ensureInfiniteQueryData(
      (await historyData()).graphOf(fromSegment(params.path), place.ref, deps.all ?? false),
    );
  },
  component: lazyRouteComponent(() => import('../features/network/NetworkPage.tsx')),
});
/** Lists that are filtered by a name. */
const named = {
  validateSearch: (search: Record<string, unknown>): NamedFilter => ({
    search: text(search.search),
    page: number(search.page),
  }),
  loaderDeps: ({ search }: { search: NamedFilter }) => search,
};
const tags = createRoute({
  ...under,
  ...named,
  path: '/tags',
  loader: async ({ params, deps }) => load((await historyData()).tagList(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/tags/TagsPage.tsx')),
});
const forks = createRoute({
  ...under,
  ...named,
  path: '/forks',
  loader: async ({ params, deps }) => load((await popularityData()).forkList(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/projects/ForksPage.tsx')),
});
const starrers = createRoute({
  ...under,
  ...named,
  path: '/starrers',
  loader: async ({ params, deps }) => load((await popularityData()).starrerList(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/projects/StarrersPage.tsx')),
});
const contributors = createRoute({
  ...under,
  path: '/graphs/$',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const place = await loadPlace(await fetched(params.path), params._splat ?? '');
    await load((await popularityData()).contributorList(fromSegment(params.path), place.ref, deps.page ?? 1));
  },
  component: lazyRouteComponent(() => import('../features/projects/ContributorsPage.tsx')),
});
const compare = createRoute({
  ...under,
  path: '/compare/$',
  loader: async ({ params }) => {
    const { default_branch, empty_repo } = await fetched(params.path);
    const main = default_branch ?? '';
    const { parseRange } = await historyData();
    const sides = parseRange(params._splat ?? '') ?? { from: main, to: main, straight: false };
    if (!empty_repo) await load(parts(params.path).compare(sides.from, sides.to, sides.straight));
    await loadPreferences();
  },
  component: lazyRouteComponent(() => import('../features/compare/ComparePage.tsx')),
});
const locks = createRoute({
  ...under,
  path: '/path_locks',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(locksOf(fromSegment(params.path), deps.page ?? 1)),
  component: lazyRouteComponent(() => import('../features/locks/LocksPage.tsx')),
});
export const repositoryRoutes = [
  tree,
  blob,
  raw,
  edit,
  newFile,
  blame,
  findFile,
  commits,
  commit,
  branches,
  tags,
  compare,
  network,
  forks,
  starrers,
  contributors,
  releasePages,
  locks,
];
