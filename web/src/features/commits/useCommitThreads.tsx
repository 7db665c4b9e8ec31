/** What is said about a commit: at the lines that it shows, and of the whole. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { commentsOf, commitDiscussions, type Discussion } from '../../lib/commit-comments.ts';
import { sessionQuery } from '../../lib/session.ts';
import { parseHunks } from '../../ui/diff/hunks.ts';
import { type LineComments, lineKey } from '../../ui/diff/line-comments.ts';
import { useProject } from '../projects/useProject.ts';
import { CommentForm } from './CommentForm.tsx';
import { CommitThread } from './CommitThread.tsx';

/** What a first commit is counted from. */
const nothing = '0'.repeat(40);

const keyOf = ({ notes }: Discussion): string | null => {
  const place = notes[0]?.position;
  return place?.position_type === 'text'
    ? lineKey(place.new_path ?? place.old_path, { old: place.old_line, now: place.new_line })
    : null;
};

export function useCommitThreads(commit: Schemas['Commit'], files: readonly Schemas['FileDiff'][] | undefined) {
  const { project, path } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const list = useInfiniteQuery(commitDiscussions(path, commit.id));
  const cache = useQueryClient();
  const mayWrite = Boolean(session?.user) && !project.archived;
  const { id: sha, parent_ids: parents } = commit;
  const base = parents[0] ?? nothing;
  const { comments, rest, again } = useMemo(() => {
    const again = () => cache.invalidateQueries({ queryKey: commitDiscussions(path, sha).queryKey });
    const shown = new Set(
      (files ?? []).flatMap((file) => parseHunks(file.diff).map((line) => lineKey(file.new_path, line))),
    );
    const threads = list.data?.pages.flatMap((page) => page.items) ?? [];
    const said = new Map<string, ReactNode[]>();
    const rest: Discussion[] = [];
    for (const thread of threads) {
      const key = keyOf(thread);
      if (key === null || !shown.has(key)) rest.push(thread);
      else
        said.set(key, [
          ...(said.get(key) ?? []),
          <CommitThread key={thread.id} {...{ thread, sha, mayWrite, again }} inline />,
        ]);
    }
    const comments: LineComments = {
      said,
      form: mayWrite
        ? (file, { old, now }, close) => (
            <CommentForm
              label="Comment on this line"
              action="Comment"
              cancel={close}
              send={async (body) => {
                await commentsOf(path, sha).beginAt(body, {
                  ...{ base_sha: base, start_sha: base, head_sha: sha, position_type: 'text' },
                  ...{ old_path: file.old_path, new_path: file.new_path },
                  ...(old === null ? {} : { old_line: old }),
                  ...(now === null ? {} : { new_line: now }),
                });
                await again();
                close();
              }}
            />
          )
        : null,
    };
    return { comments, rest, again };
  }, [cache, path, sha, base, files, list.data, mayWrite]);
  return { list, comments, rest, again, mayWrite };
}
