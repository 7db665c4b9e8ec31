/** What routes below a project fetch before they mount. */
import { redirect } from '@tanstack/react-router';
import { loadPlace, type Place } from './features/files/refs.ts';
import * as accounts from './lib/accounts.ts';
import { ApiError } from './lib/api.ts';
import * as data from './lib/data.ts';
import { locksAt } from './lib/locks.ts';
import { queries } from './lib/queries.ts';
import { allPaths, blameOf, branchNamed, fileInView } from './lib/repository.ts';
import { currentSession } from './lib/session.ts';
import { fromSegment } from './lib/urls.ts';

/** The parts of the project that the address names. */
export const parts = (path: string) => data.of(fromSegment(path));
export const load = queries.ensureQueryData.bind(queries);
export const fetched = (path: string) => load(data.project(fromSegment(path)));

/** How the person wants to see changes; nothing for those who are not signed in. */
export const loadPreferences = async () => {
  if ((await currentSession()).user) await load(accounts.preferences());
};

type Splat = { params: { path: string; _splat?: string } };

/** Whether the ref is a branch that may be pushed to; nobody asks for those who are not signed in. */
async function loadBranch(path: string, place: Place) {
  if ((await currentSession()).user && !(await fetched(path)).empty_repo)
    await load(branchNamed(fromSegment(path), place.ref));
}
/** What is locked is shown on the default branch. */
async function loadLocks(path: string, place: Place) {
  const { default_branch, empty_repo } = await fetched(path);
  if (place.ref === default_branch && !empty_repo) await load(locksAt(fromSegment(path), place.path));
}
export async function loadEdit({ params }: Splat) {
  const place = await loadPlace(await fetched(params.path), params._splat ?? '');
  await Promise.all([load(parts(params.path).file(place.ref, place.path)), loadBranch(params.path, place)]);
}
export async function loadNewFile({ params }: Splat) {
  await loadBranch(params.path, await loadPlace(await fetched(params.path), params._splat ?? ''));
}
export async function loadBlame({ params }: Splat) {
  const place = await loadPlace(await fetched(params.path), params._splat ?? '');
  await load(blameOf(fromSegment(params.path), place.ref, place.path));
}
export async function loadPaths({ params }: Splat) {
  const place = await loadPlace(await fetched(params.path), params._splat ?? '');
  // The page itself shows whether they came.
  void queries.prefetchQuery(allPaths(fromSegment(params.path), place.ref));
}

export async function loadTree({ params }: Splat) {
  const place = await loadPlace(await fetched(params.path), params._splat ?? '');
  await Promise.all([
    queries.ensureInfiniteQueryData(parts(params.path).tree(place.ref, place.path)),
    loadBranch(params.path, place),
    loadLocks(params.path, place),
    load(parts(params.path).commits({ ref: place.ref, folder: place.path, perPage: 1 })),
  ]);
}
/** What the address of a file leads to where there is a folder. */
async function orFolder(path: string, { ref, path: folder }: Place, failure: unknown) {
  if (!(failure instanceof ApiError) || failure.status !== 404) throw failure;
  const isFolder = await queries.ensureInfiniteQueryData(parts(path).tree(ref, folder)).then(
    () => true,
    () => false,
  );
  throw isFolder
    ? redirect({ to: '/p/$path/tree/$', params: { path, _splat: `${ref}/${folder}` }, replace: true })
    : failure;
}
export async function loadBlob({ params }: Splat) {
  const place = await loadPlace(await fetched(params.path), params._splat ?? '');
  await Promise.all([
    load(fileInView(fromSegment(params.path), place.ref, place.path)).catch((failure: unknown) =>
      orFolder(params.path, place, failure),
    ),
    loadBranch(params.path, place),
    loadLocks(params.path, place),
    load(parts(params.path).commits({ ref: place.ref, folder: place.path, perPage: 1 })),
  ]);
}
