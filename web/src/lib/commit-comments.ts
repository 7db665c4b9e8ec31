/** Comments about commits, as threads. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Discussion = Schemas['Discussion'];
export type Note = Schemas['Note'];

const base = '/projects/{id}/repository/commits/{commit_id}/discussions' as const;

export const commitDiscussions = (id: string, commit: string) =>
  infiniteQueryOptions({
    queryKey: ['project', id, 'commit', commit, 'discussions'],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET(base, {
          params: { path: { id, commit_id: commit }, query: { per_page: 50, page: pageParam } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export interface LinePosition {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
  readonly position_type: 'text';
  readonly old_path: string;
  readonly new_path: string;
  readonly old_line?: number;
  readonly new_line?: number;
}

/** What people do with the comments of one commit. */
export const commentsOf = (id: string, commit_id: string) => ({
  begin: (body: string) => unwrap(client.POST(base, { params: { path: { id, commit_id } }, body: { body } })),
  /** On a line that the commit shows. */
  beginAt: (body: string, position: LinePosition) =>
    unwrap(client.POST(base, { params: { path: { id, commit_id } }, body: { body, position } })),
  reply: (discussion_id: string, body: string) =>
    unwrap(
      client.POST(`${base}/{discussion_id}/notes`, {
        params: { path: { id, commit_id, discussion_id } },
        body: { body },
      }),
    ),
  edit: (discussion_id: string, note_id: number, body: string) =>
    unwrap(
      client.PUT(`${base}/{discussion_id}/notes/{note_id}`, {
        params: { path: { id, commit_id, discussion_id, note_id } },
        body: { body },
      }),
    ),
  remove: (discussion_id: string, note_id: number) =>
    unwrap(
      client.DELETE(`${base}/{discussion_id}/notes/{note_id}`, {
        params: { path: { id, commit_id, discussion_id, note_id } },
      }),
    ),
});
