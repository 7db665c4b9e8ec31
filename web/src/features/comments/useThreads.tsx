/** What is said about a thing: at the lines of a change that are shown, and of the whole. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { commentsOf, type Discussed, type Discussion, discussions, type LinePosition } from '../../lib/comments.ts';
import { addDraft, draftsOf } from '../../lib/reviews.ts';
import { sessionQuery } from '../../lib/session.ts';
import { parseHunks } from '../../ui/diff/hunks.ts';
import { type LineComments, lineKey } from '../../ui/diff/line-comments.ts';
import { useProject } from '../projects/useProject.ts';
import { CommentForm } from './CommentForm.tsx';
import { type Later, Thread } from './Thread.tsx';

/** The commits that a change is between. */
interface Refs {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
}

const placeOf = ({ notes }: Discussion): string | null => {
  const place = notes[0]?.position;
  return place?.position_type === 'text'
    ? lineKey(place.new_path ?? place.old_path, { old: place.old_line, now: place.new_line })
    : null;
};

/** `refs` null: there is no change to comment on. */
export function useThreads(
  discussed: Discussed,
  refs: Refs | null | undefined,
  files: readonly Schemas['FileDiff'][] | undefined,
) {
  const { project, path } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const { kind } = discussed;
  const name = discussed.kind === 'commit' ? discussed.sha : discussed.iid;
  // The same object while it names the same: the lines of a large diff are not drawn again for nothing.
  const of = useMemo(() => (kind === 'commit' ? { kind, sha: name } : { kind, iid: name }) as Discussed, [kind, name]);
  const list = useInfiniteQuery(discussions(path, of));
  const cache = useQueryClient();
  const mayWrite = Boolean(session?.user) && !project.archived;
  const again = useCallback(
    () => cache.invalidateQueries({ queryKey: discussions(path, of).queryKey }),
    [cache, path, of],
  );
  const later = useMemo((): Later | undefined => {
    if (kind !== 'merge_request' || typeof name !== 'number') return undefined;
    return async (body, at) => {
      await addDraft(path, name, body, at);
      await cache.invalidateQueries({ queryKey: draftsOf(path, name).queryKey });
    };
  }, [cache, path, kind, name]);
  const { said, rest } = useMemo(() => {
    const shown = new Set(
      (files ?? []).flatMap((file) => parseHunks(file.diff).map((line) => lineKey(file.new_path, line))),
    );
    const said = new Map<string, Discussion[]>();
    const rest: Discussion[] = [];
    for (const thread of list.data?.pages.flatMap((page) => page.items) ?? []) {
      const key = placeOf(thread);
      if (key === null || !shown.has(key)) rest.push(thread);
      else said.set(key, [...(said.get(key) ?? []), thread]);
    }
    return { said, rest };
  }, [files, list.data]);
  const { base_sha, start_sha, head_sha } = refs ?? {};
  const comments = useMemo((): LineComments => {
    const beside = new Map<string, ReactNode[]>(
      [...said].map(([key, threads]) => [
        key,
        threads.map((thread) => <Thread key={thread.id} {...{ thread, of, mayWrite, again, later }} inline />),
      ]),
    );
    if (!mayWrite || !base_sha || !start_sha || !head_sha) return { said: beside, form: null };
    return {
      said: beside,
      form: (file, { old, now }, close) => {
        const position: LinePosition = {
          ...{ base_sha, start_sha, head_sha, position_type: 'text' },
          ...{ old_path: file.old_path, new_path: file.new_path },
          ...(old === null ? {} : { old_line: old }),
          ...(now === null ? {} : { new_line: now }),
        };
        return (
          <CommentForm
            label="Comment on this line"
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
  }, [said, of, path, mayWrite, again, later, base_sha, start_sha, head_sha]);
  return { list, comments, rest, again, mayWrite, later };
}
export type Threads = ReturnType<typeof useThreads>;
