/** Reactions to things and to comments. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapAll } from './api.ts';
import type { Discussed } from './comments.ts';

export interface Reaction {
  readonly id: number;
  readonly name: string;
  readonly user: { readonly id: number; readonly name: string };
}

const bases = {
  merge_request: '/projects/{id}/merge_requests/{merge_request_iid}',
  issue: '/projects/{id}/issues/{issue_iid}',
} as const;
export type Reactable = Extract<Discussed, { readonly kind: keyof typeof bases }>;

/** The operations of both are the same, but for how the thing is named: typed as those of issues. */
const baseOf = ({ kind }: Reactable) => bases[kind] as (typeof bases)['issue'];
const paramsOf = (id: string, { kind, iid }: Reactable) =>
  ({ id, [kind === 'issue' ? 'issue_iid' : 'merge_request_iid']: iid }) as unknown as { id: string; issue_iid: number };

export const isReactable = (of: Discussed): of is Reactable => of.kind in bases;

/** Of the thing itself. */
export const reactionsOf = (id: string, of: Reactable) =>
  queryOptions({
    queryKey: ['project', id, of.kind === 'issue' ? 'issue' : 'merge-request', of.iid, 'reactions'],
    queryFn: async (): Promise<readonly Reaction[]> =>
      unwrapAll(
        client.GET(`${baseOf(of)}/award_emoji` as const, {
          params: { path: paramsOf(id, of), query: { per_page: 100 } },
        }),
      ),
  });

/** Reacts to the thing, or to a comment about it. */
export const react = (id: string, of: Reactable, note_id: number | null, name: string) =>
  note_id === null
    ? unwrap(client.POST(`${baseOf(of)}/award_emoji` as const, { params: { path: paramsOf(id, of) }, body: { name } }))
    : unwrap(
        client.POST(`${baseOf(of)}/notes/{note_id}/award_emoji` as const, {
          params: { path: { ...paramsOf(id, of), note_id } },
          body: { name },
        }),
      );

export const takeBack = (id: string, of: Reactable, note_id: number | null, award_id: number) =>
  note_id === null
    ? unwrap(
        client.DELETE(`${baseOf(of)}/award_emoji/{award_id}` as const, {
          params: { path: { ...paramsOf(id, of), award_id } },
        }),
      )
    : unwrap(
        client.DELETE(`${baseOf(of)}/notes/{note_id}/award_emoji/{award_id}` as const, {
          params: { path: { ...paramsOf(id, of), note_id, award_id } },
        }),
      );

/** Reactions that are offered; every other one that somebody added is shown, too. */
export const offered: readonly (readonly [name: string, character: string])[] = [
  ['thumbsup', '👍'],
  ['thumbsdown', '👎'],
  ['heart', '❤️'],
  ['tada', '🎉'],
  ['rocket', '🚀'],
  ['eyes', '👀'],
  ['thinking', '🤔'],
  ['smile', '😄'],
];

/** The characters of all names: fetched when there is one that is not offered. */
export const allEmoji = () =>
  queryOptions({
    queryKey: ['emoji'],
    queryFn: async () => new Map((await import('../features/editor/emoji.gen.ts')).emojiNames),
    staleTime: Number.POSITIVE_INFINITY,
  });
