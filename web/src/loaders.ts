/** What routes below a project fetch before they mount. */
import { loadPlace } from './features/files/refs.ts';
import * as accounts from './lib/accounts.ts';
import * as data from './lib/data.ts';
import { queries } from './lib/queries.ts';
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

export async function loadTree({ params }: { params: { path: string; _splat?: string } }) {
  const place = await loadPlace(await fetched(params.path), params._splat ?? '');
  await Promise.all([
    load(parts(params.path).tree(place.ref, place.path)),
    load(parts(params.path).commits({ ref: place.ref, folder: place.path, perPage: 1 })),
  ]);
}
export async function loadBlob({ params }: { params: { path: string; _splat?: string } }) {
  const place = await loadPlace(await fetched(params.path), params._splat ?? '');
  await Promise.all([
    load(parts(params.path).file(place.ref, place.path)),
    load(parts(params.path).commits({ ref: place.ref, folder: place.path, perPage: 1 })),
  ]);
}
export async function loadMergeRequest({ params }: { params: { path: string; iid: string; tab?: string } }) {
  const of = parts(params.path);
  const iid = Number(params.iid);
  await Promise.all([
    load(of.mergeRequest(iid)),
    params.tab === 'commits' ? load(of.mergeRequestCommits(iid)) : undefined,
    params.tab === 'pipelines' ? load(of.mergeRequestPipelines(iid)) : undefined,
    params.tab === 'diffs' ? load(of.mergeRequestDiffs(iid)) : undefined,
    params.tab === 'diffs' ? loadPreferences() : undefined,
  ]);
}
