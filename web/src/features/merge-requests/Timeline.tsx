/** What people said about a merge request and what happened to it, in one order, and a field for the next comment. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { commentsOf, type Discussion } from '../../lib/comments.ts';
import { type EventKinds, eventsOf, inOrder, type TimelineEvent } from '../../lib/timeline.ts';
import { FormError } from '../../ui/FormError.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { CommentFormInView } from '../comments/CommentFormOnDemand.tsx';
import { ContinueInIssue } from '../comments/ContinueInIssue.tsx';
import { Thread } from '../comments/Thread.tsx';
import type { Threads } from '../comments/useThreads.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './timeline.module.css';

function Line({ at, id, children }: { at: string; id?: string; children: ReactNode }) {
  return (
    <li className={classes.event} id={id}>
      <span>{children}</span> <TimeAgo at={at} />
    </li>
  );
}

const states = { closed: 'closed', reopened: 'reopened', merged: 'merged' } as Readonly<Record<string, string>>;

function EventLine({ item }: { item: TimelineEvent }) {
  const { segment } = useProject();
  if (item.kind === 'version') {
    const { before, version } = item;
    const after = version.head_commit_sha;
    return (
      <Line at={item.at}>
        New commits were pushed:{' '}
        <Link to="/p/$path/compare/$" params={{ path: segment, _splat: `${before}...${after}` }}>
          compare {before.slice(0, 8)} with {after.slice(0, 8)}
        </Link>
      </Line>
    );
  }
  const who = item.event.user?.name ?? 'Somebody';
  if (item.kind === 'state')
    return (
      <Line at={item.at}>
        <strong>{who}</strong> {states[item.event.state] ?? item.event.state} this merge request
      </Line>
    );
  const { action } = item.event;
  const verb = action === 'add' ? 'added' : 'removed';
  if (item.kind === 'label') {
    const { label } = item.event;
    return (
      <Line at={item.at}>
        <strong>{who}</strong> {verb} the label {label ? <LabelChip label={label} /> : 'that has since been deleted'}
      </Line>
    );
  }
  return (
    <Line at={item.at}>
      <strong>{who}</strong> {verb} the milestone {item.event.milestone?.title ?? 'that has since been deleted'}
    </Line>
  );
}

/** What the service wrote when somebody changed the merge request. */
function SystemLine({ thread }: { thread: Discussion }) {
  const { path } = useProject();
  const [note] = thread.notes;
  if (!note) return null;
  return (
    <li className={classes.event} id={`note_${note.id}`}>
      <strong>{note.author.name}</strong>{' '}
      <span className={classes.system}>
        <MarkdownOnDemand html={note.body_html ?? ''} of={{ kind: 'project', path }} />
      </span>{' '}
      <TimeAgo at={note.created_at} />
    </li>
  );
}

interface TimelineProps {
  readonly iid: number;
  readonly has: EventKinds;
  /** How many are not resolved. */
  readonly openThreads: number;
  readonly threads: Threads;
}

export function Timeline({ iid, has, openThreads, threads }: TimelineProps) {
  const { path } = useProject();
  const { list, rest, batch, again, mayWrite, later, pendingOf } = threads;
  const events = useQuery({ ...eventsOf(path, iid, has), placeholderData: keepPreviousData });
  const of = { kind: 'merge_request', iid } as const;
  const items = inOrder(rest, events.data ?? [], list.hasNextPage);
  return (
    <section aria-label="Activity" className={classes.timeline}>
      <div className={classes.heading}>
        <h2>Activity</h2>
        {mayWrite && openThreads > 0 ? <ContinueInIssue request={iid} /> : null}
      </div>
      <FormError error={list.error ?? events.error} />
      <ol className={classes.items} aria-label="Timeline">
        {items.map((item) => {
          if (item.kind !== 'thread') {
            const id = item.kind === 'version' ? item.version.id : item.event.id;
            return <EventLine key={`${item.kind}-${id}`} item={item} />;
          }
          const { thread } = item;
          if (thread.notes.length === 1 && thread.notes[0]?.system)
            return <SystemLine key={thread.id} thread={thread} />;
          return (
            <li key={thread.id}>
              <Thread {...{ thread, of, mayWrite, batch, again, later }} pending={pendingOf(thread.id)} />
            </li>
          );
        })}
      </ol>
      <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
      {mayWrite ? (
        <CommentFormInView
          label="New comment"
          action="Comment"
          target="merge_request"
          later={later && ((body) => later(body))}
          send={async (body) => {
            await commentsOf(path, of).begin(body);
            await again();
          }}
        />
      ) : null}
    </section>
  );
}
