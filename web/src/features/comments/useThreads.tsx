/** What is said about a thing: at the lines of a change that are shown, and of the whole. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { commentsOf, type Discussed, type Discussion, discussions, type LinePosition } from '../../lib/comments.ts';
import { addDraft, type DraftNote } from '../../lib/reviews.ts';
import { sessionQuery } from '../../lib/session.ts';
import { type DiffLine, parseHunks } from '../../ui/diff/hunks.ts';
import { type FileThread, type LineComments, lineKey } from '../../ui/diff/line-comments.ts';
import { CommentFormOnDemand } from './CommentFormOnDemand.tsx';
import { PendingOnDemand } from './PendingOnDemand.tsx';
import type { SuggestionBatch } from './Suggestions.tsx';
import { type Later, Thread } from './Thread.tsx';
import { useDrafts } from './useDrafts.ts';
import { usePlace } from './usePlace.ts';

/** The commits that a change is between. */
interface Refs {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
}

/** The line that a thread stands on; null where it stands on none, or where its line is gone. */
const placeOf = ({ notes }: Discussion) => {
  const [note] = notes;
  const place = note?.position;
  if (place?.position_type !== 'text' || note?.outdated) return null;
  const path = place.new_path ?? place.old_path;
  return { path, head: place.head_sha, key: lineKey(path, { old: place.old_line, now: place.new_line }) };
};

interface PicturePlace {
  readonly width?: number | null;
  readonly height?: number | null;
  readonly x?: number | null;
  readonly y?: number | null;
}

/** Where in a picture, from 0 to 1; null for places of other kinds. */
const pointOf = ({ width, height, x, y }: PicturePlace) =>
  width && height && x != null && y != null ? { x: x / width, y: y / height } : null;

/** Where a pending comment stands that begins a thread: the key of its line, or its file. */
function pendingPlace({ discussion_id: reply, position }: DraftNote) {
  const path = position.new_path ?? position.old_path;
  if (reply !== null || !path) return null;
  if (position.position_type !== 'text') return { path, head: position.head_sha, key: null };
  return { path, head: position.head_sha, key: lineKey(path, { old: position.old_line, now: position.new_line }) };
}

/** The file that a thread is about as a whole, or by a point of a picture; null for other threads. */
function filePlaceOf({ notes }: Discussion) {
  const place = notes[0]?.position;
  if ((place?.position_type !== 'file' && place?.position_type !== 'image') || notes[0]?.outdated) return null;
  const path = place.new_path ?? place.old_path;
  if (!path) return null;
  return { path, head: place.head_sha, point: pointOf(place) };
}

/** An end of a range of lines, as the API has it. */
const endOf = ({ old, now }: DiffLine) => ({
  type: now === null ? 'old' : 'new',
  ...(old === null ? {} : { old_line: old }),
  ...(now === null ? {} : { new_line: now }),
});

const linesBetween = (first: DiffLine, last: DiffLine) =>
  last.now === null || first.now === null
    ? `lines ${first.old} to ${last.old} before the change`
    : `lines ${first.now} to ${last.now}`;

/** `refs` null: there is no change to comment on. `pending`: how many comments wait for the review of who looks. */
export function useThreads(
  discussed: Discussed,
  refs: Refs | null | undefined,
  files: readonly Schemas['FileDiff'][] | undefined,
  pending = 0,
) {
  const { archived, path } = usePlace();
  const { data: session } = useQuery(sessionQuery);
  const { kind } = discussed;
  const name = discussed.kind === 'commit' ? discussed.sha : discussed.iid;
  // The same object while it names the same: the lines of a large diff are not drawn again for nothing.
  const of = useMemo(() => (kind === 'commit' ? { kind, sha: name } : { kind, iid: name }) as Discussed, [kind, name]);
  const list = useInfiniteQuery(discussions(path, of));
  const cache = useQueryClient();
  const mayWrite = Boolean(session?.user) && !archived;
  const iid = kind === 'merge_request' && typeof name === 'number' ? name : 0;
  const { drafts, again: draftsAgain } = useDrafts(path, iid, mayWrite ? pending : 0);
  const again = useCallback(
    () => cache.invalidateQueries({ queryKey: discussions(path, of).queryKey }),
    [cache, path, of],
  );
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const batch = useMemo(
    (): SuggestionBatch | undefined =>
      kind === 'merge_request'
        ? {
            ids: chosen,
            toggle: (id) =>
              setChosen(
                (before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]),
              ),
            clear: () => setChosen(new Set()),
          }
        : undefined,
    [kind, chosen],
  );
  const later = useMemo((): Later | undefined => {
    if (kind !== 'merge_request' || typeof name !== 'number') return undefined;
    return async (body, at) => {
      await addDraft(path, name, body, at);
      await draftsAgain();
    };
  }, [draftsAgain, path, kind, name]);
  const head = refs?.head_sha;
  const { said, rest, outsideSaid, ofFiles, shown } = useMemo(() => {
    const shown = new Set(
      (files ?? []).flatMap((file) => parseHunks(file.diff).map((line) => lineKey(file.new_path, line))),
    );
    // Pages of commits show no lines outside of the hunks.
    const known = new Set(kind === 'merge_request' ? (files ?? []).map((file) => file.new_path) : []);
    const said = new Map<string, Discussion[]>();
    const rest: Discussion[] = [];
    const outside = new Set<string>();
    const ofFiles = new Map<string, { thread: Discussion; point: FileThread['point'] }[]>();
    for (const thread of list.data?.pages.flatMap((page) => page.items) ?? []) {
      const onFile = filePlaceOf(thread);
      if (onFile && onFile.head === head && known.has(onFile.path)) {
        ofFiles.set(onFile.path, [...(ofFiles.get(onFile.path) ?? []), { thread, point: onFile.point }]);
        continue;
      }
      const place = placeOf(thread);
      const current = kind !== 'merge_request' || place?.head === head;
      const here = place && current && (shown.has(place.key) || known.has(place.path ?? ''));
      if (!place || !here) {
        rest.push(thread);
        continue;
      }
      said.set(place.key, [...(said.get(place.key) ?? []), thread]);
      if (!shown.has(place.key) && place.path) outside.add(place.path);
    }
    return { said, rest, outsideSaid: outside, ofFiles, shown };
  }, [files, list.data, head, kind]);
  const { base_sha, start_sha, head_sha } = refs ?? {};
  const pendingOf = useCallback(
    (thread: string) =>
      drafts
        .filter((draft) => draft.discussion_id === thread)
        .map((draft) => <PendingOnDemand key={draft.id} iid={iid} draft={draft} again={draftsAgain} />),
    [drafts, iid, draftsAgain],
  );
  const comments = useMemo((): LineComments => {
    const threadOf = (thread: Discussion) => (
      <Thread
        key={thread.id}
        {...{ thread, of, mayWrite, batch, again, later }}
        pending={pendingOf(thread.id)}
        inline
      />
    );
    const beside = new Map<string, ReactNode[]>([...said].map(([key, threads]) => [key, threads.map(threadOf)]));
    const onFiles = new Map<string, FileThread[]>(
      [...ofFiles].map(([file, threads]) => [
        file,
        threads.map(({ thread, point }) => ({ id: thread.id, point, shown: threadOf(thread) })),
      ]),
    );
    const outside = new Set(outsideSaid);
    for (const draft of drafts) {
      const place = pendingPlace(draft);
      if (!place || place.head !== head) continue;
      const pending = <PendingOnDemand key={`draft-${draft.id}`} iid={iid} draft={draft} again={draftsAgain} />;
      if (place.key === null) {
        const onFile = { id: `draft-${draft.id}`, point: pointOf(draft.position), shown: pending };
        onFiles.set(place.path, [...(onFiles.get(place.path) ?? []), onFile]);
        continue;
      }
      beside.set(place.key, [...(beside.get(place.key) ?? []), pending]);
      if (!shown.has(place.key)) outside.add(place.path);
    }
    if (!mayWrite || !base_sha || !start_sha || !head_sha) return { said: beside, outside, onFiles, form: null };
    const refs = { base_sha, start_sha, head_sha };
    return {
      said: beside,
      outside,
      onFiles,
      fileForm:
        kind === 'merge_request'
          ? (file, place, close) => {
              const { kind: position_type, ...point } = place;
              const paths = { old_path: file.old_path, new_path: file.new_path };
              const position: LinePosition = { ...refs, position_type, ...paths, ...point };
              return (
                <CommentFormOnDemand
                  label={position_type === 'image' ? 'Comment on this point of the picture' : 'Comment on this file'}
                  action="Comment"
                  cancel={close}
                  send={async (body) => {
                    await commentsOf(path, of).beginAt(body, position);
                    await again();
                    close();
                  }}
                  later={
                    later &&
                    (async (body) => {
                      await later(body, { position });
                      close();
                    })
                  }
                />
              );
            }
          : null,
      form: (file, { first, last, text }, close) => {
        const { old, now } = last;
        const position: LinePosition = {
          ...{ ...refs, position_type: 'text' },
          ...{ old_path: file.old_path, new_path: file.new_path },
          ...(old === null ? {} : { old_line: old }),
          ...(now === null ? {} : { new_line: now }),
          ...(first === last ? {} : { line_range: { start: endOf(first), end: endOf(last) } }),
        };
        return (
          <CommentFormOnDemand
            label={first === last ? 'Comment on this line' : `Comment on ${linesBetween(first, last)}`}
            suggest={kind === 'merge_request' && now !== null ? text : undefined}
            action="Comment"
            cancel={close}
            send={async (body) => {
              await commentsOf(path, of).beginAt(body, position);
              await again();
              close();
            }}
            later={
              later &&
              (async (body) => {
                await later(body, { position });
                close();
              })
            }
          />
        );
      },
    };
  }, [
    said,
    outsideSaid,
    ofFiles,
    shown,
    drafts,
    draftsAgain,
    pendingOf,
    iid,
    head,
    batch,
    kind,
    of,
    path,
    mayWrite,
    again,
    later,
    base_sha,
    start_sha,
    head_sha,
  ]);
  return { list, comments, rest, batch, again, mayWrite, later, drafts, pendingOf };
}
export type Threads = ReturnType<typeof useThreads>;
