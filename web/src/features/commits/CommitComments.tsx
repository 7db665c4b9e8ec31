/** What people say about a commit as a whole: threads with answers, and a field to begin another. */
import { Stack } from '@mantine/core';
import { commentsOf } from '../../lib/commit-comments.ts';
import { FormError } from '../../ui/FormError.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { useProject } from '../projects/useProject.ts';
import { CommentForm } from './CommentForm.tsx';
import { CommitThread } from './CommitThread.tsx';
import classes from './comments.module.css';
import type { useCommitThreads } from './useCommitThreads.tsx';

interface Props {
  readonly sha: string;
  readonly threads: ReturnType<typeof useCommitThreads>;
}

export function CommitComments({ sha, threads: { list, rest, again, mayWrite } }: Props) {
  const { path } = useProject();
  return (
    <section aria-label="Comments" className={classes.comments}>
      <h2>Comments</h2>
      <FormError error={list.error} />
      <Stack gap="md">
        {rest.map((thread) => (
          <CommitThread key={thread.id} {...{ thread, sha, mayWrite, again }} />
        ))}
      </Stack>
      <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
      {mayWrite ? (
        <CommentForm
          label="New comment"
          action="Comment"
          send={async (body) => {
            await commentsOf(path, sha).begin(body);
            await again();
          }}
        />
      ) : null}
    </section>
  );
}
