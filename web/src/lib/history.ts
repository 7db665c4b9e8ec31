/** What pages of tags, comparisons and commits ask of a project's history. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapPage } from './api.ts';

export const perPage = 20;

/** What the address of a list says that is filtered by a name. */
export interface NamedFilter {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
}
/** The page that it means. */
export const pageOf = ({ page = 1, search }: NamedFilter) => ({
  page,
  per_page: perPage,
  ...(search ? { search } : {}),
});

export const tagList = (path: string, filter: NamedFilter) =>
  queryOptions({
    queryKey: ['project', path, 'tags', 'list', filter],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/repository/tags', {
          params: {
            path: { id: path },
            query: pageOf(filter),
          },
        }),
      ),
  });

/** Branches and tags that have a commit. */
export const refsWith = (path: string, sha: string) =>
  queryOptions({
    queryKey: ['project', path, 'commit', sha, 'refs'],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/repository/commits/{sha}/refs', {
          params: { path: { id: path, sha }, query: { per_page: perPage } },
        }),
      ),
  });

/** Commits with their parents, children first, of a ref or of everything. */
export const graphOf = (path: string, ref: string, all: boolean) =>
  infiniteQueryOptions({
    queryKey: ['project', path, 'commits', 'graph', ref, all],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/projects/{id}/repository/commits', {
          params: {
            path: { id: path },
            query: { order: 'topo', per_page: 100, page: pageParam, ...(all ? { all } : { ref_name: ref }) },
          },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export type Replay = 'cherry_pick' | 'revert';

/** Puts the change of a commit on a branch, or takes it back there; a dry run changes nothing. */
export async function replay(
  kind: Replay,
  place: { readonly path: string; readonly sha: string },
  given: { readonly branch: string; readonly dry_run?: boolean; readonly message?: string },
): Promise<unknown> {
  const params = { path: { id: place.path, sha: place.sha } };
  if (kind === 'cherry_pick')
    return await unwrap(
      client.POST('/projects/{id}/repository/commits/{sha}/cherry_pick', { params, body: { ...given } }),
    );
  const { branch, dry_run } = given;
  const body = { branch, ...(dry_run === undefined ? {} : { dry_run }) };
  return await unwrap(client.POST('/projects/{id}/repository/commits/{sha}/revert', { params, body }));
}

/**
 * Makes a branch at another's head and replays onto it. Where the replay fails the branch goes again, so that the next try
 * can make it.
 */
export async function replayOnNewBranch(
  kind: Replay,
  place: { readonly path: string; readonly sha: string },
  { branch, ref }: { readonly branch: string; readonly ref: string },
): Promise<void> {
  const id = place.path;
  await unwrap(client.POST('/projects/{id}/repository/branches', { params: { path: { id } }, body: { branch, ref } }));
  try {
    await replay(kind, place, { branch });
  } catch (failure) {
    const params = { path: { id, branch } };
    // Why the replay failed is what people have to know, whatever becomes of the branch.
    await unwrap(client.DELETE('/projects/{id}/repository/branches/{branch}', { params })).catch(() => undefined);
    throw failure;
  }
}

/** Whether it would work, asked before anybody presses the button. */
export const rehearsal = (kind: Replay, path: string, sha: string, branch: string) =>
  queryOptions({
    queryKey: ['project', path, 'commit', sha, kind, branch],
    queryFn: () => replay(kind, { path, sha }, { branch, dry_run: true }),
    retry: false,
    staleTime: 0,
  });

/** The two sides of `from...to` (since they parted) or `from..to` (as they are); null for anything else. */
export function parseRange(text: string): { from: string; to: string; straight: boolean } | null {
  const match = /^(.+?)(\.{3}|\.{2})(?!\.)(.+)$/.exec(text);
  if (!match) return null;
  const [, from = '', dots, to = ''] = match;
  return { from, to, straight: dots === '..' };
}
export const rangeText = (from: string, to: string, straight: boolean): string =>
  `${from}${straight ? '..' : '...'}${to}`;
