/** What people say about a thing as a whole: threads with answers, and a field to begin another. */
import { Stack } from '@mantine/core';
import { commentsOf, type Discussed } from '../../lib/comments.ts';
import { FormError } from '../../ui/FormError.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { level } from '../projects/useProject.ts';
import { CommentFormInView } from './CommentFormOnDemand.tsx';
import classes from './comments.module.css';
import { Thread } from './Thread.tsx';
import { usePlace } from './usePlace.ts';
import type { Threads } from './useThreads.tsx';

interface Props {
  readonly of: Discussed;
  readonly threads: Threads;
}

export function Comments({ of, threads: { list, rest, batch, again, mayWrite, later, pendingOf } }: Props) {
  const { path, level: own } = usePlace();
  return (
    <section aria-label="Comments" className={classes.comments}>
      <h2>Comments</h2>
      <FormError error={list.error} />
      <Stack gap="md">
        {rest.map((thread) => (
          <Thread key={thread.id} {...{ thread, of, mayWrite, batch, again, later }} pending={pendingOf(thread.id)} />
        ))}
      </Stack>
      <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
      {mayWrite ? (
        <CommentFormInView
          label="New comment"
          action="Comment"
          target={of.kind === 'commit' ? undefined : of.kind}
          later={later && ((body) => later(body))}
          internal={(of.kind === 'issue' || of.kind === 'epic') && own >= level.planner}
          send={async (body, internal) => {
            const said = await commentsOf(path, of).begin(body, internal);
            await again();
            return said;
          }}
        />
      ) : null}
    </section>
  );
}
