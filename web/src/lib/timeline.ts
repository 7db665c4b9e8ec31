/** The history of a merge request in one order: what people say, events of labels, milestones and state, and pushed versions. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';
import type { Discussion } from './comments.ts';

export type TimelineEvent =
  | { readonly kind: 'label'; readonly at: string; readonly event: Schemas['ResourceLabelEvent'] }
  | { readonly kind: 'milestone'; readonly at: string; readonly event: Schemas['ResourceMilestoneEvent'] }
  | { readonly kind: 'state'; readonly at: string; readonly event: Schemas['ResourceStateEvent'] }
  | {
      readonly kind: 'version';
      readonly at: string;
      readonly before: string;
      readonly version: Schemas['MergeRequestVersion'];
    };

export type TimelineItem =
  | TimelineEvent
  | { readonly kind: 'thread'; readonly at: string; readonly thread: Discussion };

/** Events of each kind that are shown, the newest ones. */
const most = 100;

/** Which events there are: what there is none of is not asked for. */
export interface EventKinds {
  readonly labels: boolean;
  readonly milestones: boolean;
  readonly states: boolean;
  /** Whether commits were pushed since it was created: the first version came with it. */
  readonly versions: boolean;
}

export const eventsOf = (id: string, iid: number, has: EventKinds) =>
  queryOptions({
    queryKey: ['project', id, 'merge-request', iid, 'events', has],
    async queryFn(): Promise<TimelineEvent[]> {
      const base = '/projects/{id}/merge_requests/{merge_request_iid}' as const;
      const params = { path: { id, merge_request_iid: iid }, query: { per_page: most } };
      const [labels, milestones, states, versions] = await Promise.all([
        has.labels ? unwrap(client.GET(`${base}/resource_label_events` as const, { params })) : [],
        has.milestones ? unwrap(client.GET(`${base}/resource_milestone_events` as const, { params })) : [],
        has.states ? unwrap(client.GET(`${base}/resource_state_events` as const, { params })) : [],
        has.versions ? unwrap(client.GET(`${base}/versions` as const, { params })) : [],
      ]);
      return [
        ...labels.map((event) => ({ kind: 'label', at: event.created_at, event }) as const),
        ...milestones.map((event) => ({ kind: 'milestone', at: event.created_at, event }) as const),
        ...states.map((event) => ({ kind: 'state', at: event.created_at, event }) as const),
        // The newest is the first; the oldest came with the merge request.
        ...versions.flatMap((version, at) => {
          const before = versions[at + 1];
          return before
            ? [{ kind: 'version', at: version.created_at, before: before.head_commit_sha, version } as const]
            : [];
        }),
      ];
    },
  });

const tellsOfPush = ({ notes: [note] }: Discussion): boolean =>
  note?.system === true && /^added \d+ commits?\n\n<ul>/.test(note.body);

/** Threads and events by time. Where more threads follow, events after the last one wait for these. */
export function inOrder(
  threads: readonly Discussion[],
  events: readonly TimelineEvent[],
  more: boolean,
): readonly TimelineItem[] {
  // The versions say the same, with what they were before.
  const pushes = events.some(({ kind }) => kind === 'version');
  const others = pushes ? threads.filter((thread) => !tellsOfPush(thread)) : threads;
  const said = others.map((thread) => ({ kind: 'thread', at: thread.notes[0]?.created_at ?? '', thread }) as const);
  const end = more ? (said.at(-1)?.at ?? '') : null;
  const shown = events.filter(({ at }) => end === null || Date.parse(at) <= Date.parse(end));
  return [...said, ...shown].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}
