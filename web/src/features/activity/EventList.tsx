/** What people did, the newest first, in one line each. */
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import classes from './activity.module.css';

type Event = Schemas['Event'];

const pages = {
  Issue: ['/p/$path/issues/$iid', '#'],
  MergeRequest: ['/p/$path/merge_requests/$iid', '!'],
  Epic: ['/g/$path/epics/$iid', '&'],
} as const;

/** The issue, merge request or epic that an event, or the comment that it is, is about. */
function numberedTarget({ target_type, target_iid, target_title, note }: Event) {
  const kind = note ? note.noteable_type : target_type;
  const iid = note ? note.noteable_iid : target_iid;
  if ((kind !== 'Issue' && kind !== 'MergeRequest' && kind !== 'Epic') || iid === null) return null;
  const [to, sign] = pages[kind];
  return { to, iid, label: `${sign}${iid} ${target_title ?? ''}` };
}

/** What it was done to, with a link where there is something to see. */
function Target({ event }: { event: Event }) {
  const push = event.push_data;
  const params = { path: toSegment(event.full_path) };
  const numbered = numberedTarget(event);
  if (numbered) {
    const { to, iid, label } = numbered;
    return (
      <Link to={to} params={{ ...params, iid: String(iid) }} data-entry>
        {label}
      </Link>
    );
  }
  if (event.wiki_page) {
    const { slug, title } = event.wiki_page;
    return event.action_name !== 'destroyed' ? (
      <Link to="/p/$path/wikis/$" params={{ ...params, _splat: slug }} data-entry>
        {title}
      </Link>
    ) : (
      title
    );
  }
  if (!push) return event.action_name === 'created' ? 'the project' : null;
  if (push.ref === null) return severalRefs(push.ref_type, push.ref_count ?? 0);
  const name = <RefBadge name={push.ref} kind={push.ref_type === 'tag' ? 'tag' : 'branch'} />;
  return push.action !== 'removed' ? (
    <Link to="/p/$path/commits/$" params={{ ...params, _splat: push.ref }} data-entry>
      {name}
    </Link>
  ) : (
    name
  );
}

const severalRefs = (type: string, count: number) =>
  count === 1 ? `one ${type}` : `${count} ${type === 'tag' ? 'tags' : 'branches'}`;

function Commits({ push, place }: { push: Schemas['PushData']; place: string }) {
  if (!push.commit_to || !push.commit_title) return null;
  const short = push.commit_to.slice(0, 8);
  return (
    <>
      <Link
        to="/p/$path/commit/$sha"
        params={{ path: toSegment(place), sha: push.commit_to }}
        className={classes.commit ?? ''}
      >
        <code>{short}</code>
      </Link>
      <span>{push.commit_title}</span>
      {push.commit_count > 1 ? <span>and {push.commit_count - 1} more</span> : null}
    </>
  );
}

function EventRow({ event, here }: { event: Event; here: boolean }) {
  const { full_path, full_name, push_data } = event;
  return (
    <DataRow
      before={<UserChip user={event.author} />}
      title={
        <span className={classes.event}>
          <span>{event.action_name}</span> <Target event={event} />
        </span>
      }
      meta={
        <>
          {here ? null : (
            <Link
              to={event.project_id === null ? '/g/$path' : '/o/$path'}
              params={{ path: toSegment(full_path) }}
              className={classes.commit ?? ''}
            >
              {full_name}
            </Link>
          )}
          {push_data ? <Commits push={push_data} place={full_path} /> : null}
        </>
      }
      after={<TimeAgo at={event.created_at} />}
    />
  );
}

interface EventListProps {
  readonly events: readonly Event[];
  /** Whether all of them happened where the list stands; otherwise each row says where. */
  readonly here?: boolean;
}

export function EventList({ events, here = false }: EventListProps) {
  if (events.length === 0)
    return (
      <EmptyState title="No activity yet">
        <Text c="var(--mr-dim)">Pushes, merge requests and new members appear here.</Text>
      </EmptyState>
    );
  return (
    <DataList label="Activity">
      {events.map((event) => (
        <EventRow key={event.id} event={event} here={here} />
      ))}
    </DataList>
  );
}
