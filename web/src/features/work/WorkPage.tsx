/** Everything that waits for the person who is signed in, the most urgent first. */
import { type UseSuspenseInfiniteQueryResult, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { failedPipelines, ownIssues, ownRequests } from '../../lib/own-work.ts';
import { todos } from '../../lib/todos.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { IssueRow } from '../issues/IssueRow.tsx';
import { ReviewedRow } from '../merge-requests/ReviewedRow.tsx';
import { TodoRow } from './TodoRow.tsx';
import { useTodoChanges } from './useTodoChanges.tsx';
import classes from './work.module.css';

interface SectionProps<Item> {
  readonly title: string;
  readonly list: Pick<
    UseSuspenseInfiniteQueryResult<{ readonly pages: readonly { readonly items: readonly Item[] }[] }>,
    'data' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  readonly row: (item: Item) => ReactNode;
}

/** One list with its heading; nothing where it is empty. */
function Section<Item>({ title, list, row }: SectionProps<Item>) {
  const items = list.data.pages.flatMap((page) => page.items);
  if (items.length === 0) return null;
  return (
    <section className={classes.section} aria-label={title}>
      <h2 className={classes.title}>
        {title}{' '}
        <span className={classes.count}>
          {items.length}
          {list.hasNextPage ? '+' : ''}
        </span>
      </h2>
      <DataList label={title}>{items.map(row)}</DataList>
      <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
    </section>
  );
}

export default function WorkPage() {
  const reviews = useSuspenseInfiniteQuery(ownRequests('reviewer'));
  const assigned = useSuspenseInfiniteQuery(ownRequests('assignee'));
  const issues = useSuspenseInfiniteQuery(ownIssues());
  const own = useSuspenseInfiniteQuery(ownRequests('author'));
  const failed = useSuspenseInfiniteQuery(failedPipelines());
  const waiting = useSuspenseInfiniteQuery(todos());
  const rows = useRef<HTMLDivElement>(null);
  const changes = useTodoChanges(rows);
  const none = [reviews, assigned, issues, own, failed, waiting].every(({ data }) => data.pages[0]?.items.length === 0);
  return (
    <Page
      title="Your work"
      actions={
        <LinkButton to="/dashboard/todos" search={{}}>
          All to-dos
        </LinkButton>
      }
    >
      {none ? (
        <EmptyState title="Nothing is waiting for you">
          <p>Merge requests to review, issues assigned to you, failed pipelines and to-dos are listed here.</p>
          <LinkButton to="/">Go to your projects</LinkButton>
        </EmptyState>
      ) : null}
      <Section
        title="Needs your review"
        list={reviews}
        row={(request) => <ReviewedRow key={request.id} request={request} full />}
      />
      <Section
        title="Assigned to you"
        list={assigned}
        row={(request) => <ReviewedRow key={request.id} request={request} full />}
      />
      <Section
        title="Issues assigned to you"
        list={issues}
        row={(issue) => <IssueRow key={issue.id} issue={issue} full />}
      />
      <Section
        title="Failed pipelines"
        list={failed}
        row={(pipeline) => (
          <DataRow
            key={pipeline.id}
            before={<StatusBadge status={pipeline.status} compact />}
            title={
              <Link
                to="/p/$path/pipelines/$id"
                params={{ path: toSegment(pipeline.project.path_with_namespace), id: String(pipeline.id) }}
                data-entry
              >
                {pipeline.name ?? `Pipeline #${pipeline.id}`}
              </Link>
            }
            meta={
              <>
                <span>{pipeline.project.name_with_namespace}</span>
                <RefBadge name={pipeline.ref} />
                <code>{pipeline.sha.slice(0, 8)}</code>
              </>
            }
            after={<TimeAgo at={pipeline.created_at} />}
          />
        )}
      />
      <div ref={rows}>
        {changes.bar}
        <Section
          title="To-dos"
          list={waiting}
          row={(todo) => <TodoRow key={todo.id} todo={todo} pending={changes.pending} change={changes.change} />}
        />
      </div>
      <Section
        title="Your open merge requests"
        list={own}
        row={(request) => <ReviewedRow key={request.id} request={request} full />}
      />
    </Page>
  );
}
