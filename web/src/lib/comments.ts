/** What people say about commits, merge requests, issues and epics, as threads. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';
import type { TaskUpdate } from './markdown/tasks.ts';

export type Discussion = Schemas['Discussion'];
export type Note = Schemas['Note'];

/** What is talked about. */
export type Discussed =
  | { readonly kind: 'commit'; readonly sha: string }
  | { readonly kind: 'merge_request'; readonly iid: number }
  | { readonly kind: 'issue'; readonly iid: number }
  /** By its id; the place is the group. */
  | { readonly kind: 'epic'; readonly iid: number };

const bases = {
  commit: '/projects/{id}/repository/commits/{commit_id}/discussions',
  merge_request: '/projects/{id}/merge_requests/{merge_request_iid}/discussions',
  issue: '/projects/{id}/issues/{issue_iid}/discussions',
  epic: '/groups/{id}/epics/{epic_id}/discussions',
} as const;

/** The operations of all kinds are the same, but for how the thing is named: typed as those of commits. */
const baseOf = ({ kind }: Discussed) => bases[kind] as (typeof bases)['commit'];

const numbers = { issue: 'issue_iid', epic: 'epic_id', merge_request: 'merge_request_iid' } as const;

function named(of: Discussed): { readonly commit_id: string } {
  const names: object = of.kind === 'commit' ? { commit_id: of.sha } : { [numbers[of.kind]]: of.iid };
  return names as { readonly commit_id: string };
}

const keyOf = (of: Discussed) =>
  of.kind === 'commit' ? ['commit', of.sha] : [of.kind === 'merge_request' ? 'merge-request' : of.kind, of.iid];

export const discussions = (id: string, of: Discussed) =>
  infiniteQueryOptions({
    queryKey: [of.kind === 'epic' ? 'group' : 'project', id, ...keyOf(of), 'discussions'],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET(baseOf(of), {
          params: { path: { id, ...named(of) }, query: { per_page: 50, page: pageParam, render_html: true } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export interface LinePosition {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
  readonly position_type: 'text' | 'file' | 'image';
  readonly old_path: string;
  readonly new_path: string;
  readonly old_line?: number;
  readonly new_line?: number;
  /** Of a point in a picture. */
  readonly width?: number;
  readonly height?: number;
  readonly x?: number;
  readonly y?: number;
  readonly line_range?: { readonly start: LineEnd; readonly end: LineEnd };
}

interface LineEnd {
  readonly type: string;
  readonly old_line?: number;
  readonly new_line?: number;
}

/** What people do with the comments of one thing. */
export function commentsOf(id: string, of: Discussed) {
  const base = baseOf(of);
  const path = { id, ...named(of) };
  return {
    /** Internal ones are for members; only issues and epics have them. */
    begin: (body: string, internal = false) =>
      unwrap(client.POST(base, { params: { path }, body: { body, ...(internal ? { internal } : {}) } })),
    /** On a line that the change shows. */
    beginAt: (body: string, position: LinePosition) =>
      unwrap(client.POST(base, { params: { path }, body: { body, position } })),
    reply: (discussion_id: string, body: string) =>
      unwrap(
        client.POST(`${base}/{discussion_id}/notes` as const, {
          params: { path: { ...path, discussion_id } },
          body: { body },
        }),
      ),
    edit: (discussion_id: string, note_id: number, body: string) =>
      unwrap(
        client.PUT(`${base}/{discussion_id}/notes/{note_id}` as const, {
          params: { path: { ...path, discussion_id, note_id } },
          body: { body },
        }),
      ),
    /** Ticks or clears one check box of the text. */
    updateTask: (discussion_id: string, note_id: number, update_task: TaskUpdate) =>
      unwrap(
        client.PUT(`${base}/{discussion_id}/notes/{note_id}` as const, {
          params: { path: { ...path, discussion_id, note_id } },
          body: { update_task },
        }),
      ),
    remove: (discussion_id: string, note_id: number) =>
      unwrap(
        client.DELETE(`${base}/{discussion_id}/notes/{note_id}` as const, {
          params: { path: { ...path, discussion_id, note_id } },
        }),
      ),
    /** Threads of merge requests alone are resolved. */
    resolve: (discussion_id: string, resolved: boolean) =>
      unwrap(
        client.PUT('/projects/{id}/merge_requests/{merge_request_iid}/discussions/{discussion_id}', {
          params: { path: { id, merge_request_iid: of.kind === 'merge_request' ? of.iid : 0, discussion_id } },
          body: { resolved },
        }),
      ),
  };
}
